import type { CommandInput } from './redirects.ts';
import type { ShellScope } from './scope.ts';
import type { TextSpan } from './word.ts';

/** Where a text stands that is read: names of the commands around it, and what they read. */
export interface CodeContext {
  readonly via: readonly string[];
  readonly input: CommandInput | null;
  /** Where it stands in the outermost text; null for that itself. */
  readonly place: TextSpan | null;
  readonly depth: number;
  readonly scope: ShellScope;
}

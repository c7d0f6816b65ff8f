import type { CommandInput } from './redirects.ts';
import type { ShellScope } from './shell-scope.ts';
import type { TextSpan } from './shell-word.ts';

/** The context of a code text: the names of the commands that enclose it, and its input. */
export interface CodeContext {
  readonly via: readonly string[];
  readonly input: CommandInput | null;
  /** Position in the outermost text. Null for the outermost text. */
  readonly place: TextSpan | null;
  readonly depth: number;
  readonly scope: ShellScope;
}

import { normalizeCommandName } from './command.ts';
import type { ShellScope } from './shell-scope.ts';
import type { CommandInput, TextSpan } from './shell-word.ts';

/**
 * The context of a piece of code: the names of the commands that enclose it, its input, its position and
 * nesting depth, and its shell scope.
 */
export interface CodeContext {
  readonly via: readonly string[];
  readonly input: CommandInput | null;
  /** Position in the outermost code. Null for the outermost code itself. */
  readonly place: TextSpan | null;
  readonly depth: number;
  readonly scope: ShellScope;
}

/** Returns the context of code that the command `name` runs. */
export function createNestedCodeContext(around: CodeContext, name: string): CodeContext {
  return { ...around, via: [...around.via, normalizeCommandName(name)], depth: around.depth + 1 };
}

import type { CodeContext } from './code-context.ts';
import type { ShellRedirect, VariableAssignment } from './command.ts';
import type { CommandInput, ShellWord, TextSpan } from './shell-word.ts';

/** The position of code in the command line, and the context of the commands that enclose the code. */
export interface CodeLocation extends TextSpan {
  readonly context: CodeContext;
}

/** A command as it is written, before its name and wrappers are resolved. */
export interface UnresolvedCommand extends CodeLocation {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly VariableAssignment[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: CommandInput | null;
}

import type { CodeContext } from './code-context.ts';
import type { Assignment, ShellRedirect } from './command.ts';
import type { CommandInput } from './redirects.ts';
import type { ShellWord, TextSpan } from './word.ts';

export interface CodeLocation extends TextSpan {
  readonly context: CodeContext;
}

/** A command as its text gives it. */
export interface UnresolvedCommand extends CodeLocation {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: CommandInput | null;
}

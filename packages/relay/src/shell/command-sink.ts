import type { CodeContext } from './code-context.ts';
import type { SimpleCommand, UnclearSpan } from './command.ts';
import type { ShellFunction } from './shell-scope.ts';
import type { CommandOutput, TextSpan } from './shell-word.ts';
import type { UnresolvedCommand } from './unresolved-command.ts';

/** Analyzes code that is contained in other code: a string, or the body of a function. */
export interface NestedCodeAnalyzer {
  text(text: string, around: CodeContext): void;
  body(shellFunction: ShellFunction, around: CodeContext): void;
}

/** Receives the commands that are found in code. */
export interface CommandSink {
  readonly unclear: UnclearSpan[];
  reportUnclear(reason: string, place: TextSpan): void;
  analyze(given: UnresolvedCommand): CommandOutput | null;
  record(given: UnresolvedCommand, command: CommandRecord): void;
}

/** A command to record. If `name` and `own` are absent, they are determined from the command's words. */
export type CommandRecord = Pick<SimpleCommand, 'word' | 'args' | 'traits'> &
  Partial<Pick<SimpleCommand, 'own' | 'implied' | 'name'>>;

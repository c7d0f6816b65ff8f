import type { ShellWord } from './shell-word.ts';

/** The command traits that rules can match, in addition to the command's name. */
export const COMMAND_TRAITS = [
  /** An interpreter runs its input, from a pipe, a here-document or `<(…)`. */
  'runs_input',
  /** An interpreter runs code from an argument: `python -c`. */
  'runs_code',
  /** Runs with higher privileges: `sudo`, `doas`, `su`. */
  'raises_privileges',
  /** Makes another program run something: `LD_PRELOAD=`, `git -c core.pager=`. */
  'injects',
  /** Cannot be analyzed. */
  'unclear',
] as const;

export type CommandTrait = (typeof COMMAND_TRAITS)[number];

/** An assignment of a shell variable. */
export interface VariableAssignment {
  readonly name: string;
  /** Null if unknown. */
  readonly value: string | null;
}

/** A redirect of a command's input or output. */
export interface ShellRedirect {
  /** `>`, `>>`, `<`, `<>`, `&>` and similar operators. */
  readonly operator: string;
  readonly target: ShellWord;
}

/** A single command that the shell would run, at any nesting depth. */
export interface SimpleCommand {
  /** Name in lower case, without directory and `.exe`. Null if unknown. */
  readonly name: string | null;
  /** The name as written, with its directory. */
  readonly word: ShellWord;
  readonly args: readonly ShellWord[];
  /** Number of words that belong to the command. The words after them are a command that it runs. */
  readonly own: number;
  /** Options that other arguments imply: `+main` forces a push. */
  readonly implied: readonly ShellWord[];
  readonly assignments: readonly VariableAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** Wrappers that run this command, outermost first: `sudo`, `env`. */
  readonly via: readonly string[];
  readonly traits: readonly CommandTrait[];
  /** Start in the analyzed text. */
  readonly start: number;
  readonly end: number;
}

/** A part of the code whose meaning is unknown until it runs. */
export interface UnclearSpan {
  readonly reason: string;
  readonly start: number;
  readonly end: number;
}

/** What a shell would do with the code, as far as it can be determined. */
export interface ShellAnalysis {
  readonly text: string;
  readonly commands: readonly SimpleCommand[];
  readonly unclear: readonly UnclearSpan[];
  /** The names of all variables that the code sets, also only for one command. */
  readonly variables: ReadonlySet<string>;
}

/**
 * Returns a command's name: the last part of its path in canonical form. `C:\bin\Git.EXE` becomes
 * `git`, and the package `npm@latest` becomes `npm`.
 */
export function normalizeCommandName(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return base
    .toLowerCase()
    .replace(/(?<=.)@[\w.^~-]+$/, '')
    .replace(/\.(?:exe|cmd|bat|com)$/, '');
}

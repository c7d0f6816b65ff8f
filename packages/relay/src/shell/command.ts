import type { ShellWord } from './word.ts';

/** What a command does beyond its name that a rule may ask for. */
export const COMMAND_TRAITS = [
  /** An interpreter runs what comes in through a pipe, a here-document or `<(…)`. */
  'runs_input',
  /** An interpreter runs code given as an argument: `python -c`. */
  'runs_code',
  /** Runs with more rights: `sudo`, `doas`, `su`. */
  'raises_privileges',
  /** Makes another program run something: `LD_PRELOAD=`, `git -c core.pager=`. */
  'injects',
  /** Cannot be analysed. */
  'unclear',
] as const;

export type CommandTrait = (typeof COMMAND_TRAITS)[number];

export interface Assignment {
  readonly name: string;
  /** Null when nobody can tell. */
  readonly value: string | null;
}

export interface ShellRedirect {
  /** `>`, `>>`, `<`, `<>`, `&>` and so on. */
  readonly operator: string;
  readonly target: ShellWord;
}

/** One command that the shell would run, however deep it stands. */
export interface SimpleCommand {
  /** Name without its directory, lower case, without `.exe`; null when nobody can tell. */
  readonly name: string | null;
  /** As it is written, directory included. */
  readonly word: ShellWord;
  readonly args: readonly ShellWord[];
  /** How many of the words are its own: those after them are a command that it runs. */
  readonly own: number;
  /** Options that other words mean: `+main` forces a push. */
  readonly implied: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly ShellRedirect[];
  /** Commands that run this one, outermost first: `sudo`, `env`. */
  readonly via: readonly string[];
  readonly traits: readonly CommandTrait[];
  /** In the text that was analysed. */
  readonly start: number;
  readonly end: number;
}

/** A part of a text whose meaning nobody can tell before it runs. */
export interface UnclearSpan {
  readonly because: string;
  readonly start: number;
  readonly end: number;
}

/** What a shell would do with a text, as far as that can be told. */
export interface ShellAnalysis {
  readonly text: string;
  readonly commands: readonly SimpleCommand[];
  readonly unclear: readonly UnclearSpan[];
}

/** The last part of a path in the form in which commands are compared: `C:\bin\Git.EXE` is `git`. */
export function normalizeCommandName(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return base.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '');
}

import { ANY_TEXT_WILDCARD, globToWordPattern } from './glob.ts';
import { MAX_CODE_CHARS } from './shell-parser.ts';

/**
 * The source of text that is unknown until the code runs. `variable`: an environment variable.
 * `options`: a variable whose name suggests options. `program`: the output of a program. `data`: files
 * or the network. `computed`: text that the code computes.
 */
export type UnknownTextSource = 'variable' | 'options' | 'program' | 'data' | 'computed';

/** A part of a word that the shell interprets in one way. */
export interface WordSegment {
  /** Its value. For an expansion, the probable value, or null if unknown. */
  readonly text: string | null;
  /** Quoted, so that it is neither split nor expanded. */
  readonly quoted: boolean;
  /** False for the value of an expansion. */
  readonly certain: boolean;
  /** Source of unknown text. Absent: `variable`. */
  readonly unknown?: UnknownTextSource;
  /** The code sets the variable exactly once, so the value counts as written in the command. */
  readonly assignedOnce?: boolean;
  /**
   * Whether the segment represents file names although it is quoted, because a loop assigned file names to its
   * variable.
   */
  readonly names?: boolean;
}

/** Returns whether a text is too long to be known. Code can double a text many times. */
export function isTooLong(segments: readonly WordSegment[]): boolean {
  return segments.reduce((sum, { text }) => sum + (text?.length ?? 0), 0) > MAX_CODE_CHARS;
}

/** The predicted output of a command. */
export interface CommandOutput {
  /** The whole output. Null if unknown. */
  readonly text: string | null;
  /** Patterns of the file names that it prints. Empty if there are none or if unknown. */
  readonly names: readonly string[];
  /** Source of the output if it is unknown. */
  readonly unknown: UnknownTextSource;
}

/** The input that a command reads. */
export interface CommandInput {
  readonly kind: 'pipe' | 'text' | 'file';
  readonly printed: CommandOutput;
}

/** One word of a command after expansion. */
export interface ShellWord {
  readonly start: number;
  readonly end: number;
  /** Its value. Null if unknown. A probable value if `certain` is false. */
  readonly text: string | null;
  readonly certain: boolean;
  /** Whether the word is written in the command, or is a variable that the code sets exactly once. */
  readonly isSpelledOut: boolean;
  /** Text that it certainly starts with. */
  readonly prefix: string;
  /** Whether the word may expand to no word or to several words. */
  readonly splits: boolean;
  /** Whether the shell expands the word to file names: it contains unquoted `*`, `?` or `[`. */
  readonly glob: boolean;
  /** The text, in which characters of glob.ts represent the wildcards and the unknown parts. */
  readonly pattern: string;
  /** Source of the unknown part. Null if all is known. */
  readonly unknown: UnknownTextSource | null;
  /** Output of the program that a process substitution `<(…)` names as a file. Null for any other word. */
  readonly process: CommandOutput | null;
}

/** A placeholder for a word that the command does not contain. It has no text and no position. */
export const EMPTY_SHELL_WORD: ShellWord = {
  start: 0,
  end: 0,
  text: '',
  certain: true,
  isSpelledOut: true,
  prefix: '',
  splits: false,
  glob: false,
  pattern: '',
  unknown: null,
  process: null,
};

/** The maximum number of words that an expansion may produce. */
export const MAX_EXPANDED_WORDS = 64;

/** A range of a string, from `start` to `end` (exclusive). */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Creates a word with an unknown value, such as an argument of a function that is called later. */
export function createUnknownWord(place: TextSpan): ShellWord {
  const unknown = { text: null, certain: false, pattern: ANY_TEXT_WILDCARD, unknown: 'variable' } as const;
  return { ...createLiteralWord('', place), ...unknown };
}

/** Creates a word with a known value at a position in the text. */
export function createLiteralWord(text: string, { start, end }: TextSpan): ShellWord {
  const known = { certain: true, isSpelledOut: true, prefix: text, pattern: text, unknown: null };
  return { start, end, text, ...known, splits: false, glob: false, process: null };
}

/**
 * Creates a shell word for a path in code of another language. Wildcards in the path match any file names,
 * because the code may pass the path to a glob function.
 */
export function createGlobWord(path: string, place: TextSpan): ShellWord {
  return { ...createLiteralWord(path, place), pattern: globToWordPattern(path, true, false) };
}

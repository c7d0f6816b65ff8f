import { ANY_TEXT_WILDCARD, globToWordPattern, hasWildcard } from './glob.ts';

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
const MAX_BRACES = 16;
const BLANK_CHARACTERS = /[ \t\n]+/;
const GLOB = /[*?[]/;

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

/** Builds words from adjacent segments: expands braces, and splits unquoted expansions. */
export function buildShellWords(
  pieces: readonly WordSegment[],
  place: TextSpan,
  {
    process = null,
    dotglob = false,
  }: { readonly process?: CommandOutput | null; readonly dotglob?: boolean } = {},
): ShellWord[] {
  const words = expandBraces(pieces, 0).flatMap(splitAtBlanks);
  return words.slice(0, MAX_EXPANDED_WORDS).map((parts) => buildWord(parts, place, process, dotglob));
}

/**
 * Builds the pattern of a word from its segments. Unquoted wildcards are converted to the wildcard characters of
 * `glob.ts`. Unknown text becomes `ANY_TEXT_WILDCARD`.
 */
function buildWordPattern(pieces: readonly WordSegment[], dotglob: boolean): string {
  let pattern = '';
  // The grammar splits `[a-z]` into several nodes.
  let active = '';
  const flush = () => {
    pattern += globToWordPattern(active, pattern === '' || pattern.endsWith('/'), dotglob);
    active = '';
  };
  for (const { text, quoted, names } of pieces) {
    if (text !== null && (!quoted || names)) {
      active += text;
      continue;
    }
    flush();
    pattern += text ?? ANY_TEXT_WILDCARD;
  }
  flush();
  return pattern;
}

const UNKNOWN_PRECEDENCE: readonly UnknownTextSource[] = [
  'computed',
  'options',
  'data',
  'variable',
  'program',
];

function buildWord(
  pieces: readonly WordSegment[],
  { start, end }: TextSpan,
  process: CommandOutput | null,
  dotglob: boolean,
): ShellWord {
  let prefix = '';
  for (const { text, certain } of pieces) {
    if (!certain || text === null) break;
    prefix += text;
  }
  return {
    start,
    end,
    text: pieces.some(({ text }) => text === null || hasWildcard(text))
      ? null
      : pieces.map(({ text }) => text).join(''),
    certain: pieces.every(({ certain }) => certain),
    isSpelledOut: pieces.every(({ certain, assignedOnce }) => certain || assignedOnce === true),
    prefix,
    splits: pieces.some(({ certain, quoted }) => !certain && !quoted),
    glob: pieces.some(
      ({ text, quoted, names }) =>
        (!quoted || names) && text !== null && (GLOB.test(text) || hasWildcard(text)),
    ),
    pattern: buildWordPattern(pieces, dotglob),
    unknown:
      UNKNOWN_PRECEDENCE.find((one) =>
        pieces.some(({ text, unknown }) => text === null && (unknown ?? 'variable') === one),
      ) ?? null,
    process,
  };
}

/** Splits the probable value of an unquoted expansion at blanks, as the shell does. */
function splitAtBlanks(pieces: readonly WordSegment[]): WordSegment[][] {
  const words: WordSegment[][] = [[]];
  for (const piece of pieces) {
    if (piece.text === null || piece.quoted || piece.certain || !BLANK_CHARACTERS.test(piece.text)) {
      words.at(-1)?.push(piece);
      continue;
    }
    for (const [n, text] of piece.text.split(BLANK_CHARACTERS).entries()) {
      if (n > 0) words.push([]);
      words.at(-1)?.push({ ...piece, text });
    }
  }
  const full = words.filter((word) => word.some(({ text }) => text !== ''));
  return full.length === 0 ? [words[0] ?? []] : full;
}

interface BracePosition {
  readonly piece: number;
  readonly at: number;
}

const UNKNOWN_SEGMENT: WordSegment = { text: null, quoted: false, certain: false };

/** Expands `a{b,c}` to `ab` and `ac`. Braces without a comma are text. */
function expandBraces(pieces: readonly WordSegment[], depth: number): WordSegment[][] {
  const braces = findBraces(pieces);
  if (braces === null) return [[...pieces]];
  if (depth > MAX_BRACES) return [[UNKNOWN_SEGMENT]];
  const before = segmentsBetween(pieces, null, braces[0] ?? null);
  const after = segmentsBetween(pieces, braces.at(-1) ?? null, null);
  const words: WordSegment[][] = [];
  for (let n = 0; n + 1 < braces.length && words.length < MAX_EXPANDED_WORDS; n += 1) {
    const choice = segmentsBetween(pieces, braces[n] ?? null, braces[n + 1] ?? null);
    words.push(...expandBraces([...before, ...choice, ...after], depth + 1));
  }
  return words.length < MAX_EXPANDED_WORDS
    ? words
    : [...words.slice(0, MAX_EXPANDED_WORDS - 1), [UNKNOWN_SEGMENT]];
}

/** Positions of the first braces with their commas. Null if no braces have a comma. */
function findBraces(pieces: readonly WordSegment[]): BracePosition[] | null {
  const open: BracePosition[][] = [];
  for (const [piece, { text, quoted, certain }] of pieces.entries()) {
    if (quoted || !certain || text === null) continue;
    for (let at = 0; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (char === '{') open.push([{ piece, at }]);
      else if (char === ',') open.at(-1)?.push({ piece, at });
      else if (char === '}') {
        const marks = open.pop();
        if (marks && marks.length > 1) return [...marks, { piece, at }];
      }
    }
  }
  return null;
}

/** The segments between two positions. */
function segmentsBetween(
  pieces: readonly WordSegment[],
  from: BracePosition | null,
  to: BracePosition | null,
): WordSegment[] {
  const out: WordSegment[] = [];
  for (let n = from?.piece ?? 0; n <= (to?.piece ?? pieces.length - 1); n += 1) {
    const piece = pieces[n];
    if (!piece) continue;
    const start = n === from?.piece ? from.at + 1 : 0;
    const end = n === to?.piece ? to.at : piece.text?.length;
    if (piece.text === null) out.push(piece);
    else if ((end ?? 0) > start) out.push({ ...piece, text: piece.text.slice(start, end) });
  }
  return out;
}

/**
 * Creates a shell word for a path in code of another language. Wildcards in the path match any file names,
 * because the code may pass the path to a glob function.
 */
export function createGlobWord(path: string, place: TextSpan): ShellWord {
  return { ...createLiteralWord(path, place), pattern: globToWordPattern(path, true, false) };
}

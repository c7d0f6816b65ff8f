import { ANY_TEXT, hasWildcard, toGlobPattern } from './glob.ts';

/**
 * Where a text comes from that nobody knows before it runs: a variable of the environment; one whose name says that
 * it holds options; what a program prints of its own; what files or the network hold; text that is put together here.
 */
export type UnknownSource = 'variable' | 'options' | 'own' | 'data' | 'made';

/** A stretch of a word that the shell treats alike. */
export interface WordSegment {
  /** What it stands for; for an expansion what it probably stands for, null when nobody can tell. */
  readonly text: string | null;
  /** Quotes keep it one word and its stars stars. */
  readonly quoted: boolean;
  /** False for what an expansion gives. */
  readonly certain: boolean;
  /** Where a text that nobody knows comes from; `variable` unless said. */
  readonly unknown?: UnknownSource;
  /** The text itself says it, once: it is as good as spelled out. */
  readonly assignedOnce?: boolean;
  /** It stands for names of files in spite of quotes: a variable to which a loop gave them. */
  readonly names?: boolean;
}

/** What a command prints, as far as that can be told. */
export interface CommandOutput {
  /** All of it; null when nobody can tell. */
  readonly text: string | null;
  /** The names of files that it prints, as patterns; empty when it prints none or nobody can tell. */
  readonly names: readonly string[];
  /** Where a text that nobody knows comes from. */
  readonly unknown: UnknownSource;
}

/** One word of a command, as the command will see it. */
export interface ShellWord {
  readonly start: number;
  readonly end: number;
  /** Null when nobody can tell; a probable value where `certain` is false. */
  readonly text: string | null;
  readonly certain: boolean;
  /** Spelled out, or a variable that this text sets once. */
  readonly isSpelledOut: boolean;
  /** What it begins with for certain. */
  readonly prefix: string;
  /** It may become no word, or several. */
  readonly splits: boolean;
  /** It stands for names of files: `*`, `?` or `[` without quotes. */
  readonly glob: boolean;
  /** The text with its wildcards and what nobody knows of it in the characters of glob.ts. */
  readonly pattern: string;
  /** Where that comes from which nobody knows; null when all is known. */
  readonly unknown: UnknownSource | null;
  /** What a program prints that this names as a file: `<(…)`; null for any other word. */
  readonly process: CommandOutput | null;
}

/** A word without text, at no place: what stands in for one that is not in the line. */
export const EMPTY_WORD: ShellWord = {
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

/** More than this is not expanded. */
export const MAX_WORDS = 64;
const MAX_BRACES = 16;
const BLANK_CHARACTERS = /[ \t\n]+/;
const GLOB = /[*?[]/;

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A word with a value, where the text of a command has it. */
export function createLiteralWord(text: string, { start, end }: TextSpan): ShellWord {
  const known = { certain: true, isSpelledOut: true, prefix: text, pattern: text, unknown: null };
  return { start, end, text, ...known, splits: false, glob: false, process: null };
}

/** The words that pieces written together become: braces expand, unquoted expansions split. */
export function buildWords(
  pieces: readonly WordSegment[],
  place: TextSpan,
  {
    process = null,
    dotglob = false,
  }: { readonly process?: CommandOutput | null; readonly dotglob?: boolean } = {},
): ShellWord[] {
  const words = expandBraces(pieces, 0).flatMap(splitAtBlanks);
  return words.slice(0, MAX_WORDS).map((parts) => buildWord(parts, place, process, dotglob));
}

/** The pattern of pieces written together. */
export function buildPattern(pieces: readonly WordSegment[], dotglob: boolean): string {
  let pattern = '';
  // The grammar cuts `[a-z]` into pieces.
  let active = '';
  const flush = () => {
    pattern += toGlobPattern(active, pattern === '' || pattern.endsWith('/'), dotglob);
    active = '';
  };
  for (const { text, quoted, names } of pieces) {
    if (text !== null && (!quoted || names)) {
      active += text;
      continue;
    }
    flush();
    pattern += text ?? ANY_TEXT;
  }
  flush();
  return pattern;
}

const UNKNOWN_PRECEDENCE: readonly UnknownSource[] = ['made', 'options', 'data', 'variable', 'own'];

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
    pattern: buildPattern(pieces, dotglob),
    unknown:
      UNKNOWN_PRECEDENCE.find((one) =>
        pieces.some(({ text, unknown }) => text === null && (unknown ?? 'variable') === one),
      ) ?? null,
    process,
  };
}

/** What an unquoted expansion probably gives is cut at blanks, as the shell cuts it. */
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

/** `a{b,c}` becomes `ab` and `ac`; braces without a comma are text. */
function expandBraces(pieces: readonly WordSegment[], depth: number): WordSegment[][] {
  const braces = findBraces(pieces);
  if (braces === null) return [[...pieces]];
  if (depth > MAX_BRACES) return [[UNKNOWN_SEGMENT]];
  const before = segmentsBetween(pieces, null, braces[0] ?? null);
  const after = segmentsBetween(pieces, braces.at(-1) ?? null, null);
  const words: WordSegment[][] = [];
  for (let n = 0; n + 1 < braces.length && words.length < MAX_WORDS; n += 1) {
    const choice = segmentsBetween(pieces, braces[n] ?? null, braces[n + 1] ?? null);
    words.push(...expandBraces([...before, ...choice, ...after], depth + 1));
  }
  return words.length < MAX_WORDS ? words : [...words.slice(0, MAX_WORDS - 1), [UNKNOWN_SEGMENT]];
}

/** Where the first braces open, have commas and close; null when there are none with a comma. */
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

/** The pieces between two marks, without the marks. */
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

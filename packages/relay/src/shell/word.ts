import { ANY_TEXT, globPattern, hasWildcard } from './glob.ts';

/**
 * Where a text comes from that nobody knows before it runs: a variable of the environment; one whose name says that
 * it holds options; what a program prints of its own; what files or the network hold; text that is put together here.
 */
export type Unknown = 'variable' | 'options' | 'own' | 'data' | 'made';

/** A stretch of a word that the shell treats alike. */
export interface Piece {
  /** What it stands for; for an expansion what it probably stands for, null when nobody can tell. */
  readonly text: string | null;
  /** Quotes keep it one word and its stars stars. */
  readonly quoted: boolean;
  /** False for what an expansion gives. */
  readonly certain: boolean;
  /** Where a text that nobody knows comes from; `variable` unless said. */
  readonly unknown?: Unknown;
  /** The text itself says it, once: it is as good as spelled out. */
  readonly sure?: boolean;
  /** It stands for names of files in spite of quotes: a variable to which a loop gave them. */
  readonly names?: boolean;
}

/** What a command prints, as far as that can be told. */
export interface Printed {
  /** All of it; null when nobody can tell. */
  readonly text: string | null;
  /** The names of files that it prints, as patterns; empty when it prints none or nobody can tell. */
  readonly names: readonly string[];
  /** Where a text that nobody knows comes from. */
  readonly unknown: Unknown;
}

/** One word of a command, as the command will see it. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** Null when nobody can tell; a probable value where `certain` is false. */
  readonly text: string | null;
  readonly certain: boolean;
  /** Spelled out, or a variable that this text sets once. */
  readonly sure: boolean;
  /** What it begins with for certain. */
  readonly prefix: string;
  /** It may become no word, or several. */
  readonly splits: boolean;
  /** It stands for names of files: `*`, `?` or `[` without quotes. */
  readonly glob: boolean;
  /** The text with its wildcards and what nobody knows of it in the characters of glob.ts. */
  readonly pattern: string;
  /** Where that comes from which nobody knows; null when all is known. */
  readonly unknown: Unknown | null;
  /** What a program prints that this names as a file: `<(…)`; null for any other word. */
  readonly process: Printed | null;
}

/** A word without text, at no place: what stands in for one that is not in the line. */
export const NO_WORD: Word = {
  start: 0,
  end: 0,
  text: '',
  certain: true,
  sure: true,
  prefix: '',
  splits: false,
  glob: false,
  pattern: '',
  unknown: null,
  process: null,
};

/** More than this is not expanded. */
export const MOST_WORDS = 64;
const MOST_BRACES = 16;
const BLANKS = /[ \t\n]+/;
const GLOB = /[*?[]/;

export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A word with a value, where the text of a command has it. */
export function plainWord(text: string, { start, end }: Place): Word {
  const known = { certain: true, sure: true, prefix: text, pattern: text, unknown: null };
  return { start, end, text, ...known, splits: false, glob: false, process: null };
}

/** The words that pieces written together become: braces expand, unquoted expansions split. */
export function wordsOf(
  pieces: readonly Piece[],
  place: Place,
  { process = null, dotglob = false }: { readonly process?: Printed | null; readonly dotglob?: boolean } = {},
): Word[] {
  const words = expandBraces(pieces, 0).flatMap(splitAtBlanks);
  return words.slice(0, MOST_WORDS).map((parts) => oneWord(parts, place, process, dotglob));
}

/** The pattern of pieces written together. */
export function patternOf(pieces: readonly Piece[], dotglob: boolean): string {
  let pattern = '';
  // The grammar cuts `[a-z]` into pieces.
  let active = '';
  const flush = () => {
    pattern += globPattern(active, pattern === '' || pattern.endsWith('/'), dotglob);
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

const UNKNOWNS: readonly Unknown[] = ['made', 'options', 'data', 'variable', 'own'];

function oneWord(
  pieces: readonly Piece[],
  { start, end }: Place,
  process: Printed | null,
  dotglob: boolean,
): Word {
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
    sure: pieces.every(({ certain, sure }) => certain || sure === true),
    prefix,
    splits: pieces.some(({ certain, quoted }) => !certain && !quoted),
    glob: pieces.some(
      ({ text, quoted, names }) =>
        (!quoted || names) && text !== null && (GLOB.test(text) || hasWildcard(text)),
    ),
    pattern: patternOf(pieces, dotglob),
    unknown:
      UNKNOWNS.find((one) =>
        pieces.some(({ text, unknown }) => text === null && (unknown ?? 'variable') === one),
      ) ?? null,
    process,
  };
}

/** What an unquoted expansion probably gives is cut at blanks, as the shell cuts it. */
function splitAtBlanks(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.text === null || piece.quoted || piece.certain || !BLANKS.test(piece.text)) {
      words.at(-1)?.push(piece);
      continue;
    }
    for (const [n, text] of piece.text.split(BLANKS).entries()) {
      if (n > 0) words.push([]);
      words.at(-1)?.push({ ...piece, text });
    }
  }
  const full = words.filter((word) => word.some(({ text }) => text !== ''));
  return full.length === 0 ? [words[0] ?? []] : full;
}

interface Mark {
  readonly piece: number;
  readonly at: number;
}

const UNKNOWN: Piece = { text: null, quoted: false, certain: false };

/** `a{b,c}` becomes `ab` and `ac`; braces without a comma are text. */
function expandBraces(pieces: readonly Piece[], depth: number): Piece[][] {
  const braces = firstBraces(pieces);
  if (braces === null) return [[...pieces]];
  if (depth > MOST_BRACES) return [[UNKNOWN]];
  const before = cut(pieces, null, braces[0] ?? null);
  const after = cut(pieces, braces.at(-1) ?? null, null);
  const words: Piece[][] = [];
  for (let n = 0; n + 1 < braces.length && words.length < MOST_WORDS; n += 1) {
    const choice = cut(pieces, braces[n] ?? null, braces[n + 1] ?? null);
    words.push(...expandBraces([...before, ...choice, ...after], depth + 1));
  }
  return words.length < MOST_WORDS ? words : [...words.slice(0, MOST_WORDS - 1), [UNKNOWN]];
}

/** Where the first braces open, have commas and close; null when there are none with a comma. */
function firstBraces(pieces: readonly Piece[]): Mark[] | null {
  const open: Mark[][] = [];
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
function cut(pieces: readonly Piece[], from: Mark | null, to: Mark | null): Piece[] {
  const out: Piece[] = [];
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

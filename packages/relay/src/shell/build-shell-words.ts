import { ANY_TEXT_WILDCARD, globToWordPattern, hasWildcard } from './glob.ts';
import {
  type CommandOutput,
  isTooLong,
  MAX_EXPANDED_WORDS,
  type ShellWord,
  type TextSpan,
  type UnknownTextSource,
  type WordSegment,
} from './shell-word.ts';

const MAX_BRACES = 16;
const BLANKS = ' \t\n';
const GLOB = /[*?[]/;

/** Builds words from adjacent segments: expands braces, and splits unquoted expansions. */
export function buildShellWords(
  pieces: readonly WordSegment[],
  place: TextSpan,
  {
    process = null,
    dotglob = false,
    separators = BLANKS,
  }: {
    readonly process?: CommandOutput | null;
    readonly dotglob?: boolean;
    /** The characters at which values are split. Null if unknown. */
    readonly separators?: string | null;
  } = {},
): ShellWord[] {
  const words = expandBraces(joinPlainSegments(pieces).map(expandSequences), 0).flatMap((parts) =>
    splitAtSeparators(parts, separators),
  );
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
  given: readonly WordSegment[],
  { start, end }: TextSpan,
  process: CommandOutput | null,
  dotglob: boolean,
): ShellWord {
  const pieces: readonly WordSegment[] = isTooLong(given)
    ? [{ ...UNKNOWN_SEGMENT, unknown: 'computed' }]
    : given;
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

/**
 * Splits the probable value of an unquoted expansion at the characters in `IFS`, as the shell does, and always at
 * blanks, because a change of `IFS` may apply only to a subshell.
 */
function splitAtSeparators(pieces: readonly WordSegment[], separators: string | null): WordSegment[][] {
  const words: WordSegment[][] = [[]];
  const delimiter = createDelimiterPattern(`${BLANKS}${separators ?? ''}`);
  for (const piece of pieces) {
    const isSplit = piece.text !== null && !piece.quoted && !piece.certain;
    if (isSplit && separators === null) words.at(-1)?.push({ ...piece, text: null, unknown: 'computed' });
    else if (!isSplit || piece.text === null || !delimiter?.test(piece.text)) words.at(-1)?.push(piece);
    else
      for (const [n, text] of piece.text.split(delimiter).entries()) {
        if (n > 0) words.push([]);
        words.at(-1)?.push({ ...piece, text });
      }
  }
  const full = words.filter((word) => word.some(({ text }) => text !== ''));
  return full.length === 0 ? [words[0] ?? []] : full;
}

/**
 * Returns a regular expression for one delimiter of words: blanks, at most one other separator, or both. Null if
 * there are no separators.
 */
export function createDelimiterPattern(separators: string): RegExp | null {
  const [blanks, others] = [/[ \t\n]/, /[^ \t\n]/].map((kind) => {
    const characters = [...separators].filter((char) => kind.test(char));
    return characters.length > 0
      ? `[${characters.map((char) => `\\u{${char.codePointAt(0)?.toString(16)}}`).join('')}]`
      : null;
  });
  if (blanks === null) return others == null ? null : new RegExp(others, 'u');
  return new RegExp(others == null ? `${blanks}+` : `${blanks}*${others}${blanks}*|${blanks}+`, 'u');
}

/** The grammar splits `{a..c}` into several nodes. */
function joinPlainSegments(pieces: readonly WordSegment[]): WordSegment[] {
  const joined: WordSegment[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (before && isPlain(before) && isPlain(piece))
      joined.splice(-1, 1, { ...before, text: `${before.text}${piece.text}` });
    else joined.push(piece);
  }
  return joined;
}

function isPlain({ text, quoted, certain, names }: WordSegment): boolean {
  return text !== null && certain && !quoted && names !== true;
}

/** A short text could otherwise expand to many words. */
const MAX_SEQUENCE_WORDS = 16;
const SEQUENCE = /\{(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?\}/g;

/** Writes the sequence `{a..c}` as `{a,b,c}`. The value of a long sequence is unknown. */
function expandSequences(piece: WordSegment): WordSegment {
  if (piece.quoted || !piece.certain || !piece.text?.includes('..')) return piece;
  let isLong = false;
  const text = piece.text.replaceAll(SEQUENCE, (...match: (string | undefined)[]) => {
    const [, from, to, first, last, by] = match;
    const start = first === undefined ? Number(from) : first.charCodeAt(0);
    const distance = (last === undefined ? Number(to) : last.charCodeAt(0)) - start;
    const step = Math.sign(distance) * Math.max(1, Math.abs(Number(by ?? 1)));
    const count = distance === 0 ? 1 : Math.floor(distance / step) + 1;
    isLong ||= count > MAX_SEQUENCE_WORDS;
    const values = Array.from({ length: isLong ? 1 : count }, (_, n) => start + n * step);
    const list = values.map((value) => (first === undefined ? String(value) : String.fromCharCode(value)));
    return count === 1 ? (list[0] ?? '') : `{${list.join(',')}}`;
  });
  return isLong ? { ...UNKNOWN_SEGMENT, unknown: 'computed' } : { ...piece, text };
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

import { isDigit, isLetterOrDigit, readCharacterCode } from './character-codes.ts';
import { isCardNumber } from './personal-data.ts';

const SPACE = 0x20;
const DOT = 0x2e;
const MAX_SEPARATOR_CHARS = 4;
/** The groups in which card numbers are written. The longest comes first. */
const LAYOUTS: readonly (readonly number[])[] = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
];
/** One group more than a card has, because a column of numbers is not a card. */
const MAX_GROUPS = 6;

interface Separator {
  readonly end: number;
  /** The punctuation mark, or a space if the separator consists of blanks only. */
  readonly kind: number;
}

/**
 * Returns the end of a card number that starts at `start`, or -1. Its groups of digits can be separated by
 * tabs, line breaks, several spaces, dots, slashes or dashes. Lists of other numbers often have the same
 * separators. The groups must therefore have the lengths of a printed card number, and must not be next to
 * another group of four digits.
 */
export function findSeparatedCardNumberEnd(text: string, start: number): number {
  const first = readCharacterCode(text, start);
  if (first < 0x32 || first > 0x36 || findGroupEnd(text, start) - start !== 4) return -1;
  const separator = readSeparator(text, start + 4);
  if (separator === null || followsGroupOfFour(text, start, separator.kind)) return -1;
  const groups = readGroups(text, start, separator.kind);
  for (const layout of LAYOUTS) {
    const end = groups[layout.length - 1]?.[1] ?? -1;
    if (end === -1 || !layout.every((width, at) => widthOf(groups[at]) === width)) continue;
    if (widthOf(groups[layout.length]) === 4 || touchesText(text, end)) continue;
    const digits = groups.slice(0, layout.length).map(([from, to]) => text.slice(from, to));
    if (isCardNumber(digits.join(''))) return end;
  }
  return -1;
}

type Group = readonly [start: number, end: number];

function widthOf(group: Group | undefined): number {
  return group === undefined ? 0 : group[1] - group[0];
}

function readGroups(text: string, start: number, kind: number): readonly Group[] {
  const groups: Group[] = [];
  for (let at = start; groups.length < MAX_GROUPS; ) {
    const end = findGroupEnd(text, at);
    groups.push([at, end]);
    const separator = readSeparator(text, end);
    if (separator?.kind !== kind) break;
    at = separator.end;
  }
  return groups;
}

/** Returns the end of a group of digits. A group of a card has at most six. */
function findGroupEnd(text: string, start: number): number {
  let at = start;
  while (at - start < 7 && isDigit(readCharacterCode(text, at))) at += 1;
  return at;
}

/** Reads the characters between two groups. Null if no digit follows, or if they are no separator. */
function readSeparator(text: string, start: number): Separator | null {
  let kind = SPACE;
  for (let at = start; at - start <= MAX_SEPARATOR_CHARS; at += 1) {
    const code = readCharacterCode(text, at);
    if (isDigit(code)) return at === start ? null : { end: at, kind };
    if (isBlank(code)) continue;
    if (!isMark(code) || kind !== SPACE) return null;
    kind = code;
  }
  return null;
}

/** Returns whether a separator of this kind and a group of four digits precede `start`. */
function followsGroupOfFour(text: string, start: number, kind: number): boolean {
  let at = start - 1;
  let found = SPACE;
  for (; start - at <= MAX_SEPARATOR_CHARS; at -= 1) {
    const code = readCharacterCode(text, at);
    if (isMark(code)) found = code;
    else if (!isBlank(code)) break;
  }
  let width = 0;
  while (width < 5 && isDigit(readCharacterCode(text, at - width))) width += 1;
  return width === 4 && found === kind;
}

/** Returns whether a letter or decimal places follow the last group. */
function touchesText(text: string, end: number): boolean {
  const code = readCharacterCode(text, end);
  if (isLetterOrDigit(code) || code === 0x5f) return true;
  return code === DOT && isDigit(readCharacterCode(text, end + 1));
}

function isBlank(code: number): boolean {
  return code === SPACE || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** Returns whether a character is a dash, dot or slash. */
function isMark(code: number): boolean {
  return code >= 0x2d && code <= 0x2f;
}

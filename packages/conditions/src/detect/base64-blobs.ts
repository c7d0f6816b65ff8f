import { Buffer, isUtf8 } from 'node:buffer';
import { findTokenEnd } from './character-codes.ts';
import { hasKnownKeyFormat } from './secrets.ts';

const BLOB_CHARS = 128;
/** Does not match data with other characters, because a decoder stops at them and would hide the text after them. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;
const BLOB = new RegExp(`^(?:data:[\\w.+/-]{1,100};base64,)?${BASE64.source.slice(1)}`);

/**
 * Returns whether a string is long base64 data, such as an image or a signature. Detectors skip such strings, unless they
 * contain text.
 * Long keys consist of the same characters, so a string that begins like a known key is not treated as a
 * blob.
 * @example
 * isBase64Blob('iVBORw0KGgoAAAANSUhEUgAA'.repeat(8)); // true
 */
export function isBase64Blob(text: string): boolean {
  if (text.length < BLOB_CHARS || !BLOB.test(text)) return false;
  return !hasKnownKeyFormat(text, 0, findTokenEnd(text, 0));
}

/** Text in base64 data, and how it was encoded. */
export interface Base64Text {
  /** The start of a `data:` URL, up to its comma. Empty if the data is not in a URL. */
  readonly prefix: string;
  readonly text: string;
  /** Encodes another text in the same way, without the prefix. */
  encode(text: string): string;
}

const DATA_URL = /^data:[^,]{0,200};base64,/;
/** A multiple of 4, so that a part of this length is valid base64. */
const INSPECTED_CHARS = 128;
/** A PDF starts like text. Its text is compressed, so it is not decoded. */
const PDF_START = '%PDF-';

/**
 * Returns the text in base64 data, such as a text document. Returns null if the data is not base64, is short and has no
 * `data:` prefix, or is not UTF-8 text.
 * @example
 * decodeBase64Text('data:text/plain;base64,aGVsbG8=').text; // 'hello'
 * decodeBase64Text('data:text/plain;base64,aGVsbG8= and more'); // null
 */
export function decodeBase64Text(value: string): Base64Text | null {
  const prefix = value.startsWith('data:') ? (DATA_URL.exec(value)?.[0] ?? '') : '';
  if (prefix === '' && value.length < BLOB_CHARS) return null;
  const data = value.slice(prefix.length);
  const head = Buffer.from(data.slice(0, INSPECTED_CHARS), 'base64').toString('latin1');
  if (head === '' || head.startsWith(PDF_START) || hasControlCharacters(head)) return null;
  // Checked last, because it reads the whole value. Most base64 data is not text.
  if (prefix === '' ? !isBase64Blob(value) : !BASE64.test(data)) return null;
  const bytes = Buffer.from(data, 'base64');
  if (!isUtf8(bytes)) return null;
  const isUrlSafe = /[-_]/.test(data);
  const isPadded = data.length % 4 === 0;
  return {
    prefix,
    text: bytes.toString('utf8'),
    encode: (text) => {
      const encoded = Buffer.from(text).toString('base64');
      const spelled = isUrlSafe ? encoded.replaceAll('+', '-').replaceAll('/', '_') : encoded;
      return isPadded ? spelled : spelled.replace(/=+$/, '');
    },
  };
}

/** Returns whether a text has control characters that occur in binary data, but rarely in text. */
function hasControlCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && !'\t\n\r\f\u001b'.includes(text.charAt(at))) return true;
  }
  return false;
}

import { Buffer, isUtf8 } from 'node:buffer';
import { findTokenEnd } from './character-codes.ts';
import { hasKnownKeyFormat } from './secrets.ts';

const BLOB_CHARS = 128;
/** Does not match data with other characters, because a decoder stops at them and would hide the text after them. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;
const BLOB = new RegExp(`^(?:data:[\\w.+/-]{1,100};base64,)?${BASE64.source.slice(1)}`);

/**
 * Returns whether a string is long base64 data, such as an image or a signature. Detectors skip such strings, unless
 * they contain text.
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
const TEXT_DATA_URL = /^data:text\//;
/** Base64 in lines, as in email messages. */
const WRAPPED = /^[A-Za-z0-9+/\r\n]+={0,2}(?:\r?\n)?$/;
const LINE_BREAK = /\r?\n/;
/** A multiple of 4, so that a part of this length is valid base64. */
const INSPECTED_CHARS = 128;
/** A PDF starts like text. Its text is compressed, so it is not decoded. */
const PDF_START = '%PDF-';

/**
 * Returns whether a string is long base64 data in lines. A list of words can look the same, so it is also read as it
 * is.
 * @example
 * isWrappedBase64('iVBORw0KGgoAAAANSUhEUgAA\n'.repeat(8)); // true
 */
export function isWrappedBase64(text: string): boolean {
  return text.length >= BLOB_CHARS && WRAPPED.test(text) && text.includes('\n');
}

/**
 * Returns the text in base64 data, such as a text document. Returns null if the data is not base64, is short and has no
 * `data:` prefix, or is not text. Text is UTF-8, UTF-16, or an encoding that extends ASCII, such as Windows-1252. In the
 * last case, characters outside of ASCII are decoded as ISO 8859-1.
 * @example
 * decodeBase64Text('data:text/plain;base64,aGVsbG8=').text; // 'hello'
 * decodeBase64Text('data:text/plain;base64,aGVsbG8= and more'); // null
 */
export function decodeBase64Text(value: string): Base64Text | null {
  const prefix = value.startsWith('data:') ? (DATA_URL.exec(value)?.[0] ?? '') : '';
  if (prefix === '' && value.length < BLOB_CHARS) return null;
  const data = value.slice(prefix.length);
  const head = Buffer.from(data.slice(0, INSPECTED_CHARS), 'base64');
  if (head.length === 0 || head.toString('latin1', 0, PDF_START.length) === PDF_START) return null;
  const isText = TEXT_DATA_URL.test(prefix);
  const encoding = findEncoding(head, isText);
  if (encoding === null) return null;
  // Checked last, because it reads the whole value. Most base64 data is not text.
  const isBase64 =
    prefix === '' ? isBase64Blob(value) || isWrappedBase64(value) : BASE64.test(data) || WRAPPED.test(data);
  if (!isBase64) return null;
  const bytes = Buffer.from(data, 'base64');
  const known = encoding === 'utf8' && !isUtf8(bytes) ? findAsciiExtension(bytes, isText) : encoding;
  if (known === null) return null;
  const rest = bytes.subarray(known.startsWith('utf16') ? bytes.length & ~1 : bytes.length);
  return {
    prefix,
    text: decodeBytes(bytes, known),
    encode: (text) => spellLike(data, Buffer.concat([encodeText(text, known), rest]).toString('base64')),
  };
}

type TextEncoding = 'utf8' | 'utf16le' | 'utf16be' | 'latin1';

/** Returns how the text is probably encoded, or null if the bytes are not text. */
function findEncoding(head: Buffer, isText: boolean): TextEncoding | null {
  const [first = 0, second = 0] = head;
  if (first === 0xff && second === 0xfe) return 'utf16le';
  if (first === 0xfe && second === 0xff) return 'utf16be';
  if (isText && second === 0 && first !== 0) return 'utf16le';
  if (isText && first === 0 && second !== 0) return 'utf16be';
  return isText || !hasControlCharacters(head) ? 'utf8' : null;
}

function findAsciiExtension(bytes: Buffer, isText: boolean): TextEncoding | null {
  return isText || !hasControlCharacters(bytes) ? 'latin1' : null;
}

function decodeBytes(bytes: Buffer, encoding: TextEncoding): string {
  if (encoding !== 'utf16be') return bytes.toString(encoding);
  return bytes
    .subarray(0, bytes.length - (bytes.length % 2))
    .swap16()
    .toString('utf16le');
}

function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf16be') return Buffer.from(text, 'utf16le').swap16();
  if (encoding !== 'latin1') return Buffer.from(text, encoding);
  // Redacted JSON can contain characters that its original had as escape sequences.
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return Buffer.from(text.replace(/[^\u0000-\u00ff]/g, toEscape), 'latin1');
}

/** Writes base64 with the characters, padding and line breaks of other base64 data. */
function spellLike(data: string, base64: string): string {
  const spelled = /[-_]/.test(data) ? base64.replaceAll('+', '-').replaceAll('/', '_') : base64;
  const lineBreak = LINE_BREAK.exec(data);
  if (lineBreak === null) return data.length % 4 === 0 ? spelled : spelled.replace(/=+$/, '');
  return spelled.replace(new RegExp(`.{${lineBreak.index}}(?!$)`, 'g'), `$&${lineBreak[0]}`);
}

/** Returns whether a text has control characters that occur in binary data, but rarely in text. */
function hasControlCharacters(bytes: Buffer): boolean {
  for (const code of bytes) if (code < 0x20 && !TEXT_CONTROL_CODES.has(code)) return true;
  return false;
}

/** Tab, line feed, form feed, carriage return and escape. */
const TEXT_CONTROL_CODES: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

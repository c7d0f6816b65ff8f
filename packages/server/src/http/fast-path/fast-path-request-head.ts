import type { RequestHeaders } from '../../gateway/client-call.ts';

/** The head of a fast-path request. See `parseFastPathRequestHead`. */
export interface FastPathRequestHead {
  /** The target as sent: a path without a query. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Length of the body in bytes. */
  readonly length: number;
}

/** The start of the request line. The fast path supports only this method. */
export const POST_PREFIX = 'POST ';
const VERSION = ' HTTP/1.1';
/** `node:http` reads and streams longer bodies. */
const MAX_BODY_BYTES = 64 * 1024;

const TARGET = /^\/[\w/.~-]*$/;
const FIELD_NAME = /^[a-z\d-]+$/;
/** Characters other than visible ASCII, space and tab, and line ends other than CRLF. */
const UNSUPPORTED_CHARACTER = /[^\t\r\n\x20-\x7e]|\r(?!\n)|[^\r]\n/;
const LENGTH = /^(?:0|[1-9]\d{0,5})$/;
/**
 * Fields that change how the message is parsed, or that require action before its body or after its response.
 */
const UNSUPPORTED_FIELDS = new Set(['transfer-encoding', 'expect', 'upgrade', 'proxy-connection']);

/**
 * Parses the head of a simple request. A simple request uses HTTP/1.1 and POST, has a path, has each
 * field once and on one line, has one host and a content length in digits, and keeps the connection
 * open. Returns null for every other head, valid or not, because `node:http` handles it. For
 * accepted heads, `node:http` returns the same result (fast-path-request-head.test.ts).
 * @param text the head, decoded as Latin-1, without its closing empty line
 */
export function parseFastPathRequestHead(text: string): FastPathRequestHead | null {
  if (UNSUPPORTED_CHARACTER.test(text)) return null;
  const lineEnd = text.indexOf('\r\n');
  const targetEnd = lineEnd - VERSION.length;
  if (
    targetEnd <= POST_PREFIX.length ||
    !text.startsWith(POST_PREFIX) ||
    !text.startsWith(VERSION, targetEnd)
  )
    return null;
  const target = text.slice(POST_PREFIX.length, targetEnd);
  if (!TARGET.test(target)) return null;
  const headers = parseFields(text, lineEnd);
  if (headers === null) return null;
  const { host, connection, 'content-length': length } = headers;
  const isPlain =
    typeof host === 'string' &&
    host !== '' &&
    !host.includes(',') &&
    (connection === undefined || /^keep-alive$/i.test(String(connection))) &&
    typeof length === 'string' &&
    LENGTH.test(length);
  if (!isPlain || Number(length) > MAX_BODY_BYTES) return null;
  return { target, headers, length: Number(length) };
}

/** Parses the fields after the line that ends at `from`. Null if one is not supported. */
function parseFields(text: string, from: number): RequestHeaders | null {
  const headers: Record<string, string> = {};
  for (let at = from; at < text.length; ) {
    const start = at + 2;
    const found = text.indexOf('\r\n', start);
    const end = found === -1 ? text.length : found;
    const colon = text.indexOf(':', start);
    if (colon === -1 || colon >= end) return null;
    const name = text.slice(start, colon).toLowerCase();
    if (!FIELD_NAME.test(name) || UNSUPPORTED_FIELDS.has(name) || headers[name] !== undefined) return null;
    headers[name] = text.slice(colon + 1, end).trim();
    at = end;
  }
  return headers;
}

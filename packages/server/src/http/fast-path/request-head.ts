import type { RequestHeaders } from '../../gateway/client.ts';

/** Head of a plain request: see `parseRequestHead`. */
export interface RequestHead {
  /** As it was sent: a path without a query. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Bytes of the body. */
  readonly length: number;
}

export const POST_PREFIX = 'POST ';
const VERSION = ' HTTP/1.1';
/** Longer bodies are read as they come. */
const MAX_BODY_BYTES = 64 * 1024;

const TARGET = /^\/[\w/.~-]*$/;
const FIELD_NAME = /^[a-z\d-]+$/;
/** Anything but visible ASCII and blanks, and line ends that are no CRLF. */
const UNSUPPORTED_CHARACTER = /[^\t\r\n\x20-\x7e]|\r(?!\n)|[^\r]\n/;
const LENGTH = /^(?:0|[1-9]\d{0,5})$/;
/** They change how a message is read, or what is to be done before its body or after its answer. */
const UNSUPPORTED_FIELDS = new Set(['transfer-encoding', 'expect', 'upgrade', 'proxy-connection']);

/**
 * Reads the head of a plain request, given without its closing empty line, one character per byte: a POST of HTTP/1.1
 * to a path, each field once and on a line of its own, one host, the body's length in plain digits, a connection that stays.
 * Null for every other head, which may be good or bad HTTP: `node:http` judges it. What is taken here, it reads in the
 * same way (request-head.test.ts).
 */
export function parseRequestHead(text: string): RequestHead | null {
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

/** The fields behind the line that ends at `from`. */
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

import { MalformedResponseError, type UpstreamHeaders } from '../transport.ts';

/** A response's status line and headers, and how its body ends (RFC 9112, section 6.3). */
export interface ResponseHead {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  /** The length of the body in bytes, or how the end of the body is detected. */
  readonly length: number | 'chunked' | 'until_close';
  /** Milliseconds for which the connection may stay idle before it is reused. 0 if it must not be reused. */
  readonly keepAliveMs: number;
}

const DEFAULT_KEEP_ALIVE_MS = 30_000;
/**
 * Time that is subtracted from the provider's limit, because a request is lost if it is sent while the
 * provider closes the connection.
 */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/**
 * Matches characters that are not allowed in any line: control characters, and line breaks other than CRLF.
 */
const ILLEGAL_CHARACTERS = /[\0-\x08\v\f\x0e-\x1f\x7f]|\r(?!\n)|[^\r]\n/;
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const STATUS = /^[1-9]\d\d$/;
const DIGITS = /^\d{1,15}$/;

/**
 * Parses a response head without its final empty line, one character per byte. `isBodiless` states that the
 * response has no body because of the request method (HEAD).
 * @throws MalformedResponseError if the head is not valid HTTP/1.1
 */
export function parseResponseHead(text: string, isBodiless: boolean): ResponseHead {
  if (ILLEGAL_CHARACTERS.test(text)) throw new MalformedResponseError('header');
  const { status, minor, end } = parseStatusLine(text);
  const headers: Record<string, string | string[]> = {};
  for (let at = end; at < text.length; ) {
    const lineEnd = text.indexOf('\r\n', at + 2);
    const next = lineEnd === -1 ? text.length : lineEnd;
    parseField(headers, text, at + 2, next);
    at = next;
  }
  return {
    status,
    headers,
    length: isBodiless || status < 200 || status === 204 || status === 304 ? 0 : bodyLength(headers, minor),
    keepAliveMs: parseKeepAlive(headers, minor),
  };
}

function parseStatusLine(text: string): { status: number; minor: number; end: number } {
  const line = text.indexOf('\r\n');
  const end = line === -1 ? text.length : line;
  const [minor, status] = [text.charCodeAt(7) - 0x30, text.slice(9, 12)];
  const isWhole =
    text.startsWith('HTTP/1.') &&
    (minor === 0 || minor === 1) &&
    text.charCodeAt(8) === 0x20 &&
    STATUS.test(status) &&
    (end === 12 || text.charCodeAt(12) === 0x20);
  if (!isWhole) throw new MalformedResponseError('status_line');
  return { status: Number(status), minor, end };
}

function parseField(
  headers: Record<string, string | string[]>,
  text: string,
  start: number,
  end: number,
): void {
  const colon = text.indexOf(':', start);
  if (colon === -1 || colon >= end) throw new MalformedResponseError('header');
  const name = text.slice(start, colon).toLowerCase();
  if (!FIELD_NAME.test(name)) throw new MalformedResponseError('header');
  const value = trimWhitespace(text, colon + 1, end);
  // A plain object already has this member, so it cannot be used as a header name.
  if (name === '__proto__') return;
  const before = headers[name];
  if (typeof before === 'string') headers[name] = [before, value];
  else if (Array.isArray(before)) before.push(value);
  // Absent, or inherited from Object, such as `constructor`.
  else headers[name] = value;
}

/** Returns a value without leading and trailing spaces and tabs (RFC 9110, section 5.5). */
function trimWhitespace(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isWhitespace(text.charCodeAt(from))) from += 1;
  while (from < to && isWhitespace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isWhitespace(character: number): boolean {
  return character === 0x20 || character === 0x09;
}

function bodyLength(headers: UpstreamHeaders, minor: number): ResponseHead['length'] {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    // Parsers disagree about a response with both headers (RFC 9112, section 6.1).
    if (typeof coding !== 'string' || length !== undefined || minor === 0)
      throw new MalformedResponseError('transfer_encoding');
    if (coding.toLowerCase() !== 'chunked') throw new MalformedResponseError('transfer_encoding');
    return 'chunked';
  }
  if (length === undefined) return 'until_close';
  if (typeof length !== 'string' || !DIGITS.test(length)) throw new MalformedResponseError('content_length');
  return Number(length);
}

function parseKeepAlive(headers: UpstreamHeaders, minor: number): number {
  const { connection, 'keep-alive': hint } = headers;
  if (minor === 0) return 0;
  if (connection !== undefined && /\bclose\b/i.test(String(connection))) return 0;
  if (typeof hint !== 'string') return DEFAULT_KEEP_ALIVE_MS;
  const seconds = /\btimeout=(\d{1,9})\b/i.exec(hint)?.[1];
  if (seconds === undefined) return DEFAULT_KEEP_ALIVE_MS;
  return Math.max(0, Math.min(DEFAULT_KEEP_ALIVE_MS, Number(seconds) * 1000 - KEEP_ALIVE_MARGIN_MS));
}

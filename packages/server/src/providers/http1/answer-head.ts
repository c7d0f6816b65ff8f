import { BadAnswer, type UpstreamHeaders } from '../transport.ts';

/** Status line and headers of an answer, and how its body ends (RFC 9112, 6.3). */
export interface AnswerHead {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  /** Bytes of the body, or how their end is known. */
  readonly length: number | 'chunked' | 'until_close';
  /** Milliseconds the connection may rest before it is used again; 0 when it may not be used again. */
  readonly restMs: number;
}

const REST_MS = 30_000;
/** What an upstream's own limit is shortened by: a request that meets its end of the connection half way is lost. */
const REST_MARGIN_MS = 1_000;

/** Anything that may stand in no line: control characters, and line ends that are no CRLF. */
const FOREIGN = /[\0-\x08\v\f\x0e-\x1f\x7f]|\r(?!\n)|[^\r]\n/;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const STATUS = /^[1-9]\d\d$/;
const DIGITS = /^\d{1,15}$/;

/**
 * Reads a head without its closing empty line, one character per byte. `isBodiless`: the request was one whose
 * answer has no body (HEAD).
 *
 * @throws BadAnswer
 */
export function readHead(text: string, isBodiless: boolean): AnswerHead {
  if (FOREIGN.test(text)) throw new BadAnswer('header');
  const { status, minor, end } = readStatusLine(text);
  const headers: Record<string, string | string[]> = {};
  for (let at = end; at < text.length; ) {
    const lineEnd = text.indexOf('\r\n', at + 2);
    const next = lineEnd === -1 ? text.length : lineEnd;
    readField(headers, text, at + 2, next);
    at = next;
  }
  return {
    status,
    headers,
    length: isBodiless || status < 200 || status === 204 || status === 304 ? 0 : lengthOf(headers, minor),
    restMs: restOf(headers, minor),
  };
}

function readStatusLine(text: string): { status: number; minor: number; end: number } {
  const line = text.indexOf('\r\n');
  const end = line === -1 ? text.length : line;
  const [minor, status] = [text.charCodeAt(7) - 0x30, text.slice(9, 12)];
  const isWhole =
    text.startsWith('HTTP/1.') &&
    (minor === 0 || minor === 1) &&
    text.charCodeAt(8) === 0x20 &&
    STATUS.test(status) &&
    (end === 12 || text.charCodeAt(12) === 0x20);
  if (!isWhole) throw new BadAnswer('status_line');
  return { status: Number(status), minor, end };
}

function readField(
  headers: Record<string, string | string[]>,
  text: string,
  start: number,
  end: number,
): void {
  const colon = text.indexOf(':', start);
  if (colon === -1 || colon >= end) throw new BadAnswer('header');
  const name = text.slice(start, colon).toLowerCase();
  if (!NAME.test(name)) throw new BadAnswer('header');
  const value = withoutBlanks(text, colon + 1, end);
  // A plain object has a member of this name, which no header may take the place of.
  if (name === '__proto__') return;
  const before = headers[name];
  if (typeof before === 'string') headers[name] = [before, value];
  else if (Array.isArray(before)) before.push(value);
  // Nothing, or what every object has by the name of `constructor`.
  else headers[name] = value;
}

/** A value without the spaces and tabs around it (RFC 9110, 5.5). */
function withoutBlanks(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x09;
}

function lengthOf(headers: UpstreamHeaders, minor: number): AnswerHead['length'] {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    // Both at once are read differently by different readers (RFC 9112, 6.1).
    if (typeof coding !== 'string' || length !== undefined || minor === 0)
      throw new BadAnswer('transfer_encoding');
    if (coding.toLowerCase() !== 'chunked') throw new BadAnswer('transfer_encoding');
    return 'chunked';
  }
  if (length === undefined) return 'until_close';
  if (typeof length !== 'string' || !DIGITS.test(length)) throw new BadAnswer('content_length');
  return Number(length);
}

function restOf(headers: UpstreamHeaders, minor: number): number {
  const { connection, 'keep-alive': hint } = headers;
  if (minor === 0) return 0;
  if (connection !== undefined && /\bclose\b/i.test(String(connection))) return 0;
  if (typeof hint !== 'string') return REST_MS;
  const seconds = /\btimeout=(\d{1,9})\b/i.exec(hint)?.[1];
  if (seconds === undefined) return REST_MS;
  return Math.max(0, Math.min(REST_MS, Number(seconds) * 1000 - REST_MARGIN_MS));
}

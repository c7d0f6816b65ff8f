import { STATUS_CODES } from 'node:http';
import type { Clock } from '../../core/clock.ts';

/** How many seconds an idle connection is kept open. Responses announce this value. */
export const KEEP_ALIVE_SECONDS = 75;

const KEEP_ALIVE_FIELDS = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n`;
const CLOSE_FIELD = 'Connection: close\r\n';

/** How the end of a body is marked: its length in bytes, chunked encoding, or no body. */
export type BodyFraming = number | 'chunked' | 'none';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Characters that a field value must not contain (RFC 9110, 5.5). Each character is sent as one byte. */
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

/** Thrown if a header name or value contains a character that is not allowed in an HTTP header. */
export class InvalidHeaderError extends Error {
  override readonly name = 'InvalidHeaderError';
}

/**
 * Formats response heads exactly as `node:http` does (verified by fast-path-server.test.ts). In the returned string,
 * each character represents one byte.
 */
export class ResponseHeadWriter {
  readonly #clock: Clock;
  #second = -1;
  #date = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the status line, the header fields and an empty line. @throws InvalidHeaderError */
  write(status: number, headers: readonly string[], framing: BodyFraming, isLast: boolean): string {
    let fields = '';
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const [name = '', value = ''] = [headers[at], headers[at + 1]];
      if (!HEADER_NAME.test(name) || INVALID_VALUE_CHARACTER.test(value))
        throw new InvalidHeaderError(
          `the header ${JSON.stringify(name)} contains a character that is not allowed in an HTTP header`,
        );
      fields += `${name}: ${value}\r\n`;
    }
    if (typeof framing === 'number') fields += `content-length: ${framing}\r\n`;
    const persistence = isLast ? CLOSE_FIELD : KEEP_ALIVE_FIELDS;
    const coding = framing === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : '';
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${fields}Date: ${this.#now()}\r\n${persistence}${coding}\r\n`;
  }

  #now(): string {
    const ms = this.#clock.now();
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(ms).toUTCString();
    }
    return this.#date;
  }
}

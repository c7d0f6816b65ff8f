import { STATUS_CODES } from 'node:http';
import type { Clock } from '../../core/clock.ts';

/** How long a connection is kept for its next request, as answers say it. */
export const KEEP_ALIVE_S = 75;

const KEEP_ALIVE_FIELDS = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_S}\r\n`;
const CLOSE_FIELD = 'Connection: close\r\n';

/** How the end of a body is known: by its length in bytes, its chunks, or because there is none. */
export type BodyFraming = number | 'chunked' | 'none';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** What a field's value may not hold (RFC 9110, 5.5); each character is sent as one byte. */
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

/** A header that would end its line, or begin another. */
export class UnsendableHeaderError extends Error {
  override readonly name = 'UnsendableHeaderError';
}

/** Writes heads of answers as `node:http` would (fast-path-server.test.ts), one character per byte. */
export class AnswerHeadWriter {
  readonly #clock: Clock;
  #second = -1;
  #date = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Status line and fields with the empty line behind them. @throws UnsendableHeaderError */
  write(status: number, headers: readonly string[], framing: BodyFraming, isLast: boolean): string {
    let fields = '';
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const [name = '', value = ''] = [headers[at], headers[at + 1]];
      if (!HEADER_NAME.test(name) || INVALID_VALUE_CHARACTER.test(value))
        throw new UnsendableHeaderError(
          `the header ${JSON.stringify(name)} holds a character that cannot be sent`,
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

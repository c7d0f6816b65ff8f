/** What a reader tells of the answers on one connection. */
export interface AnswerEvents {
  /** Body bytes without HTTP's framing, valid until the call returns. */
  onBody(bytes: Buffer): void;
  onEnd(status: number, bodyBytes: number): void;
}

/** -1 awaits a head, -2 a chunk's size, -3 the line end behind a chunk, -4 the end of the trailer. */
const HEAD = -1;
const SIZE = -2;
const GAP = -3;
const TRAILER = -4;
const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Reads the HTTP/1.1 answers of one connection, as cheaply as the load needs it: content-length or chunked,
 * no pipelining. Throws on anything else.
 */
export class AnswerReader {
  #events: AnswerEvents;
  #held: Buffer | null = null;
  #state = HEAD;
  /** Bytes left of the body or of the chunk. */
  #left = 0;
  #isChunked = false;
  #status = 0;
  #bodyBytes = 0;

  constructor(events: AnswerEvents) {
    this.#events = events;
  }

  /** True between an answer's first byte and its last. */
  get isInside(): boolean {
    return this.#state !== HEAD || this.#held !== null;
  }

  push(bytes: Buffer): void {
    const input = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#held = null;
    let at = 0;
    while (at < input.length) {
      const next = this.#step(input, at);
      if (next === at) {
        this.#held = input.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Where the next step begins; `at` itself when more bytes are needed. */
  #step(input: Buffer, at: number): number {
    switch (this.#state) {
      case HEAD:
        return this.#readHead(input, at);
      case SIZE:
        return this.#readSize(input, at);
      case GAP:
        return this.#skipLine(input, at, SIZE);
      case TRAILER:
        return this.#skipLine(input, at, HEAD);
      default:
        return this.#readBody(input, at);
    }
  }

  #readHead(input: Buffer, at: number): number {
    const end = input.indexOf(HEAD_END, at);
    if (end === -1) return at;
    const head = input.toString('latin1', at, end);
    this.#status = Number(head.slice(9, 12));
    this.#bodyBytes = 0;
    this.#isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (!this.#isChunked && length === undefined)
      throw new Error(`an answer without a length: ${head.slice(0, 200)}`);
    this.#left = Number(length ?? 0);
    this.#state = this.#isChunked ? SIZE : 0;
    if (!this.#isChunked && this.#left === 0) this.#finish();
    return end + 4;
  }

  #readSize(input: Buffer, at: number): number {
    const end = input.indexOf(LINE_END, at);
    if (end === -1) return at;
    this.#left = Number.parseInt(input.toString('latin1', at, end), 16);
    if (!(this.#left >= 0)) throw new Error('a chunk without a size');
    this.#state = this.#left === 0 ? TRAILER : 0;
    return end + 2;
  }

  #readBody(input: Buffer, at: number): number {
    const end = Math.min(input.length, at + this.#left);
    this.#events.onBody(input.subarray(at, end));
    this.#left -= end - at;
    this.#bodyBytes += end - at;
    if (this.#left > 0) return end;
    if (this.#isChunked) this.#state = GAP;
    else this.#finish();
    return end;
  }

  #skipLine(input: Buffer, at: number, next: number): number {
    if (input.length < at + 2) return at;
    if (next === HEAD) this.#finish();
    else this.#state = next;
    return at + 2;
  }

  #finish(): void {
    this.#state = HEAD;
    this.#events.onEnd(this.#status, this.#bodyBytes);
  }
}

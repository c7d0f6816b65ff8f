import { BadAnswer, ClosedEarly, type Flow, type UpstreamHandler } from '../transport.ts';
import { type AnswerHead, readHead } from './answer-head.ts';
import { Chunked } from './chunked.ts';

const HEAD_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const PROTOCOL = 'HTTP/1.';

/** Where an answer is told; `pause` and `resume` hold the reader and the socket back. */
export type AnswerListener = Pick<UpstreamHandler, 'onHead' | 'onData'>;

/**
 * Reads one answer of HTTP/1.1 from the bytes of its connection. Interim answers (1xx) are passed over: they
 * announce an answer, they are none (RFC 9110, 15.2).
 */
export class AnswerReader {
  /** The whole answer was read. */
  done = false;
  /** Milliseconds the connection may rest; known with the head. */
  restMs = 0;
  readonly #listener: AnswerListener;
  readonly #flow: Flow;
  readonly #isBodiless: boolean;
  #headPieces: Buffer | null = null;
  #head: AnswerHead | null = null;
  #left = 0;
  #chunked: Chunked | null = null;
  #isHeld = false;
  #held: Buffer | null = null;

  constructor(listener: AnswerListener, flow: Flow, isBodiless: boolean) {
    this.#listener = listener;
    this.#flow = flow;
    this.#isBodiless = isBodiless;
  }

  get headSeen(): boolean {
    return this.#head !== null;
  }

  /** Bytes that were read and not yet told, because somebody held the answer back. */
  get isHolding(): boolean {
    return this.#held !== null;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** Tells what was held back. @throws BadAnswer */
  release(): void {
    this.#isHeld = false;
    const held = this.#held;
    this.#held = null;
    if (held) this.push(held);
  }

  /** @throws BadAnswer */
  push(bytes: Buffer): void {
    let rest: Buffer | null = bytes;
    while (rest !== null && this.#head === null) rest = this.#readHead(rest);
    if (rest === null) return;
    if (this.done) this.#dismiss();
    else this.#readBody(rest);
  }

  /** The upstream has ended its side. @throws ClosedEarly when that is not how this answer ends */
  end(): void {
    if (this.#head?.length !== 'until_close') throw new ClosedEarly();
    this.done = true;
  }

  /** What follows a head that is not an interim answer's; null when there is nothing yet. */
  #readHead(bytes: Buffer): Buffer | null {
    const pieces = this.#headPieces;
    const whole = pieces ? Buffer.concat([pieces, bytes]) : bytes;
    const end = whole.indexOf(HEAD_END, pieces ? Math.max(0, pieces.length - 3) : 0, 'latin1');
    if (end > HEAD_BYTES || (end === -1 && whole.length > HEAD_BYTES))
      throw new BadAnswer('header_too_large');
    this.#headPieces = end === -1 ? whole : null;
    if (end === -1) {
      // Nonsense need not go on until somebody would call it a head.
      const start = whole.toString('latin1', 0, PROTOCOL.length);
      if (!PROTOCOL.startsWith(start)) throw new BadAnswer('status_line');
      return null;
    }
    const head = readHead(whole.toString('latin1', 0, end), this.#isBodiless);
    const rest = end + 4 < whole.length ? whole.subarray(end + 4) : null;
    if (head.status === 101) throw new BadAnswer('switched_protocols');
    if (head.status >= 200) this.#begin(head);
    return rest;
  }

  #begin(head: AnswerHead): void {
    const { length } = head;
    this.#head = head;
    this.restMs = length === 'until_close' ? 0 : head.restMs;
    if (length === 'chunked') this.#chunked = new Chunked();
    else this.#left = length === 'until_close' ? Number.POSITIVE_INFINITY : length;
    this.done = length === 0;
    this.#listener.onHead(head.status, head.headers, this.#flow);
  }

  /** Bytes behind the answer, which nobody asked for: it stands, and its connection is not used again. */
  #dismiss(): void {
    this.restMs = 0;
  }

  #readBody(bytes: Buffer): void {
    if (this.#isHeld) this.#held = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    else if (this.#chunked) this.#readChunked(this.#chunked, bytes);
    else this.#readPlain(bytes);
  }

  #readPlain(bytes: Buffer): void {
    const own = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    if (own !== bytes) this.#dismiss();
    this.#left -= own.length;
    this.done = this.#left === 0;
    this.#listener.onData(own);
  }

  /** Content of one read is told in one piece: each piece costs as much as the walk through its events. */
  #readChunked(chunked: Chunked, bytes: Buffer): void {
    const pieces: Buffer[] = [];
    try {
      this.#takeChunks(chunked, bytes, pieces);
    } finally {
      const [first] = pieces;
      if (first) this.#listener.onData(pieces.length === 1 ? first : Buffer.concat(pieces));
    }
  }

  #takeChunks(chunked: Chunked, bytes: Buffer, pieces: Buffer[]): void {
    for (let at = 0; at < bytes.length && !chunked.ended; ) {
      const length = chunked.content(bytes, at);
      if (length > 0) {
        chunked.took(length);
        pieces.push(bytes.subarray(at, at + length));
      }
      at = chunked.frame(bytes, at + length);
      if (chunked.ended && at < bytes.length) this.#dismiss();
    }
    this.done = chunked.ended;
  }
}

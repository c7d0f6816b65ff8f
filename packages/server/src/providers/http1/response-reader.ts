import {
  ConnectionClosedEarlyError,
  type FlowControl,
  MalformedResponseError,
  type UpstreamResponseHandler,
} from '../transport.ts';
import { ChunkedDecoder } from './chunked-decoder.ts';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

const MAX_HEAD_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const PROTOCOL = 'HTTP/1.';

/** Receives a response from the reader. */
export type Http1ResponseHandler = Pick<UpstreamResponseHandler, 'onHead' | 'onData'>;

/**
 * Reads one HTTP/1.1 response from a connection's bytes. Skips interim responses with status 1xx
 * (RFC 9110, section 15.2).
 */
export class Http1ResponseReader {
  /** Whether the complete response has been read. */
  done = false;
  /**
   * Milliseconds for which the connection may stay idle before it is reused. Set when the head has been read.
   */
  keepAliveMs = 0;
  readonly #listener: Http1ResponseHandler;
  readonly #flow: FlowControl;
  readonly #isBodiless: boolean;
  #headChunks: Buffer | null = null;
  #head: ResponseHead | null = null;
  #left = 0;
  #chunked: ChunkedDecoder | null = null;
  #isPaused = false;
  #held: Buffer | null = null;

  constructor(listener: Http1ResponseHandler, flow: FlowControl, isBodiless: boolean) {
    this.#listener = listener;
    this.#flow = flow;
    this.#isBodiless = isBodiless;
  }

  get hasHead(): boolean {
    return this.#head !== null;
  }

  /** Whether bytes are held back because the response is paused. */
  get hasHeldBytes(): boolean {
    return this.#held !== null;
  }

  pause(): void {
    this.#isPaused = true;
  }

  /**
   * Delivers the bytes that were held back.
   * @throws MalformedResponseError
   */
  resume(): void {
    this.#isPaused = false;
    const held = this.#held;
    this.#held = null;
    if (held) this.push(held);
  }

  /** Reads the next bytes of the connection. @throws MalformedResponseError */
  push(bytes: Buffer): void {
    let rest: Buffer | null = bytes;
    while (rest !== null && this.#head === null) rest = this.#readHead(rest);
    if (rest === null) return;
    if (this.done) this.#discardExtraBytes();
    else this.#readBody(rest);
  }

  /** Handles the end of the connection. @throws ConnectionClosedEarlyError if the response is incomplete */
  end(): void {
    if (this.#head?.length !== 'until_close') throw new ConnectionClosedEarlyError();
    this.done = true;
  }

  /** Returns the bytes after the final head; null if it is incomplete. */
  #readHead(bytes: Buffer): Buffer | null {
    const pieces = this.#headChunks;
    const whole = pieces ? Buffer.concat([pieces, bytes]) : bytes;
    const end = whole.indexOf(HEAD_END, pieces ? Math.max(0, pieces.length - 3) : 0, 'latin1');
    if (end > MAX_HEAD_BYTES || (end === -1 && whole.length > MAX_HEAD_BYTES))
      throw new MalformedResponseError('header_too_large');
    this.#headChunks = end === -1 ? whole : null;
    if (end === -1) {
      // Reject bytes that cannot be a response head as early as possible.
      const start = whole.toString('latin1', 0, PROTOCOL.length);
      if (!PROTOCOL.startsWith(start)) throw new MalformedResponseError('status_line');
      return null;
    }
    const head = parseResponseHead(whole.toString('latin1', 0, end), this.#isBodiless);
    const rest = end + 4 < whole.length ? whole.subarray(end + 4) : null;
    if (head.status === 101) throw new MalformedResponseError('switched_protocols');
    if (head.status >= 200) this.#begin(head);
    return rest;
  }

  #begin(head: ResponseHead): void {
    const { length } = head;
    this.#head = head;
    this.keepAliveMs = length === 'until_close' ? 0 : head.keepAliveMs;
    if (length === 'chunked') this.#chunked = new ChunkedDecoder();
    else this.#left = length === 'until_close' ? Number.POSITIVE_INFINITY : length;
    this.done = length === 0;
    this.#listener.onHead(head.status, head.headers, this.#flow);
  }

  /** Handles bytes after the response. The response is valid, but the connection is not reused. */
  #discardExtraBytes(): void {
    this.keepAliveMs = 0;
  }

  #readBody(bytes: Buffer): void {
    if (this.#isPaused) this.#held = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    else if (this.#chunked) this.#readChunked(this.#chunked, bytes);
    else this.#readPlain(bytes);
  }

  #readPlain(bytes: Buffer): void {
    const own = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    if (own !== bytes) this.#discardExtraBytes();
    this.#left -= own.length;
    this.done = this.#left === 0;
    this.#listener.onData(own);
  }

  /** Delivers the content of one read in one piece, because each piece costs one event. */
  #readChunked(chunked: ChunkedDecoder, bytes: Buffer): void {
    const pieces: Buffer[] = [];
    try {
      this.#readChunks(chunked, bytes, pieces);
    } finally {
      const [first] = pieces;
      if (first) this.#listener.onData(pieces.length === 1 ? first : Buffer.concat(pieces));
    }
  }

  #readChunks(chunked: ChunkedDecoder, bytes: Buffer, pieces: Buffer[]): void {
    for (let at = 0; at < bytes.length && !chunked.isComplete; ) {
      const length = chunked.contentLength(bytes, at);
      if (length > 0) {
        chunked.consume(length);
        pieces.push(bytes.subarray(at, at + length));
      }
      at = chunked.readFraming(bytes, at + length);
      if (chunked.isComplete && at < bytes.length) this.#discardExtraBytes();
    }
    this.done = chunked.isComplete;
  }
}

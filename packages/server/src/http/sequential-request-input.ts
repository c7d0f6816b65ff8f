import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** How much input is held while a response is in progress. Then reading pauses. */
const MAX_HELD_BYTES = 64 * 1024;
/** Small pieces are joined at this number, because each of them has an overhead. */
const MAX_PIECES = 16;

type SocketListener = (...values: unknown[]) => void;

/**
 * Passes the input of a connection to `node:http` one request at a time. `node:http` itself parses and starts
 * all pipelined requests at once. This class passes the next request only when the response to the previous one is
 * complete, and buffers at most 64 KB of input until then. It does not interpret the input: it only chooses where a
 * piece of it ends.
 */
export class SequentialRequestInput {
  readonly #socket: Socket;
  readonly #parse: SocketListener;
  readonly #parseEnd: SocketListener;
  #pieces: Buffer[] = [];
  #size = 0;
  #request: IncomingMessage | null = null;
  /** How many bytes remain of a body whose length is known. */
  #bodyBytesLeft = 0;
  #isParsing = false;
  #isPaused = false;
  #hasEnded = false;
  readonly #onData = (bytes: Buffer) => this.#take(bytes);
  readonly #onEnd = () => {
    this.#hasEnded = true;
    this.#continue();
  };
  readonly #onResume = () => this.#continue();

  /**
   * @param serve passes the connection to `node:http`, which adds the listeners that this object then calls
   */
  constructor(socket: Socket, serve: (socket: Socket) => void) {
    this.#socket = socket;
    const before = new Set([...socket.listeners('data'), ...socket.listeners('end')]);
    serve(socket);
    const takeOver = (event: string): SocketListener => {
      const added = socket.listeners(event).filter((each) => !before.has(each));
      for (const each of added) socket.off(event, toListener(each));
      return (...values) => {
        for (const each of added) each.apply(socket, values);
      };
    };
    this.#parse = takeOver('data');
    this.#parseEnd = takeOver('end');
    socket.on('data', this.#onData).on('end', this.#onEnd).on('resume', this.#onResume);
  }

  /** Whether input has arrived that `node:http` has not received yet. */
  get hasHeldBytes(): boolean {
    return this.#size > 0;
  }

  /** Must be called when `node:http` has parsed the head of a request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    const length = request.headers['content-length'];
    this.#bodyBytesLeft = length === undefined ? 0 : Number(length);
    response.once('close', () => {
      if (this.#request === request) this.#request = null;
      if (this.#isPaused) {
        this.#isPaused = false;
        this.#socket.resume();
      }
      this.#continue();
    });
  }

  /** Stops handling the input. */
  detach(): void {
    this.#socket.off('data', this.#onData).off('end', this.#onEnd).off('resume', this.#onResume);
    this.#keep(null);
  }

  #take(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#pieces.length > MAX_PIECES) this.#joined();
    this.#continue();
    // node:http can resume reading at any time, so each piece pauses it again.
    if (this.#size < MAX_HELD_BYTES || !this.#isAnswering) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** A complete request waits for its response. */
  get #isAnswering(): boolean {
    return this.#request?.complete ?? false;
  }

  #continue(): void {
    if (this.#isParsing) return;
    this.#isParsing = true;
    // While reading is paused, node:http does not accept input.
    while (this.#size > 0 && !this.#isAnswering && !this.#socket.isPaused() && !this.#socket.destroyed) {
      const bytes = this.#joined();
      const length = this.#lengthOfNext(bytes);
      if (length === 0) break;
      this.#keep(bytes.subarray(length));
      this.#bodyBytesLeft = Math.max(0, this.#bodyBytesLeft - length);
      this.#parse(bytes.subarray(0, length));
    }
    this.#isParsing = false;
    if (!this.#hasEnded || this.#isAnswering || (this.#size > 0 && this.#socket.isPaused())) return;
    this.#hasEnded = false;
    if (this.#size > 0) this.#parse(this.#joined());
    this.#keep(null);
    this.#parseEnd();
  }

  /**
   * A piece ends where a head or a chunked body can end, so that it contains at most one end of a request. An end
   * that has arrived only in part waits for the rest.
   */
  #lengthOfNext(bytes: Buffer): number {
    if (this.#bodyBytesLeft > 0) return Math.min(this.#bodyBytesLeft, bytes.length);
    const end = bytes.indexOf(HEAD_END, 0, 'latin1');
    if (end !== -1) return end + HEAD_END.length;
    for (let part = HEAD_END.length - 1; part > 0; part -= 1)
      if (bytes.length >= part && bytes.toString('latin1', bytes.length - part) === HEAD_END.slice(0, part))
        return bytes.length - part;
    return bytes.length;
  }

  #joined(): Buffer {
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [bytes];
    return bytes;
  }

  #keep(rest: Buffer | null): void {
    this.#size = rest?.length ?? 0;
    this.#pieces = rest && this.#size > 0 ? [rest] : [];
  }
}

/** The event emitter calls each listener with the values of its event, so any function is one. */
function toListener(value: unknown): SocketListener {
  return value as SocketListener;
}

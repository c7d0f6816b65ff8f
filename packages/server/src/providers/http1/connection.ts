import type { Socket } from 'node:net';
import { ClosedEarly, type Flow, type UpstreamHandler } from '../transport.ts';
import { AnswerReader } from './answer-reader.ts';

/** Text up to this size goes from V8 to the kernel without a request object or a second copy. */
const ONE_WRITE_BYTES = 16 * 1024;

/** One request under way: the head as Latin-1 text, the body, who hears the answer, and the brakes of that. */
export interface Exchanging extends Flow {
  readonly head: string;
  readonly body: Buffer | null;
  /** Its answer has a head only. */
  readonly isBodiless: boolean;
  readonly handler: UpstreamHandler;
}

/** Told of a connection that carries nothing any more: for how long it may rest, 0 when it is closed. */
export type OnFree = (connection: Connection, restMs: number) => void;

/** One socket to an upstream and the request on it, one after the other: HTTP/1.1 without pipelining. */
export class Connection {
  /** Until then it may be used again, in milliseconds of the process. */
  restsUntil = 0;
  readonly #socket: Socket;
  readonly #onFree: OnFree;
  #exchanging: Exchanging | null = null;
  #reader: AnswerReader | null = null;
  #isPaused = false;
  /** How the connection ended while bytes of an answer were held back: told behind them. */
  #ending: 'end' | Error | null = null;

  constructor(socket: Socket, onFree: OnFree) {
    this.#socket = socket;
    this.#onFree = onFree;
    const read = (bytes: Buffer) => this.#read(bytes);
    const end = () => this.#end();
    const broken = (error: Error) => this.#break(error);
    const close = () => this.#break(new ClosedEarly());
    socket.on('data', read).on('end', end).on('error', broken).on('close', close);
    // Whoever made it (a tunnel) may have stopped it.
    socket.resume();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(exchanging: Exchanging): void {
    const { head, body, handler, isBodiless } = exchanging;
    this.#exchanging = exchanging;
    this.#reader = new AnswerReader(handler, exchanging, isBodiless);
    const socket = this.#socket;
    if (body === null || body.length === 0) socket.write(head, 'latin1');
    // A gathered write of two pieces costs several times a plain one (decisions/0016-hot-path.md).
    else if (body.length <= ONE_WRITE_BYTES) socket.write(head + body.toString('latin1'), 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
    handler.onConnected();
  }

  /** Nobody wants the answer of `exchanging` any more: the connection goes with it. */
  cancel(exchanging: Exchanging): void {
    if (this.#exchanging !== exchanging) return;
    this.#exchanging = null;
    this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Holds back the answer to `exchanging`; nobody else's, should the connection have gone over to another. */
  pause(exchanging: Exchanging): void {
    if (this.#exchanging !== exchanging) return;
    this.#isPaused = true;
    this.#reader?.hold();
    this.#socket.pause();
  }

  resume(exchanging: Exchanging): void {
    if (this.#exchanging !== exchanging || !this.#isPaused) return;
    this.#isPaused = false;
    const reader = this.#reader;
    this.#try(() => reader?.release());
    if (this.#isPaused) return;
    this.#socket.resume();
    if (this.#ending === 'end') this.#end();
    else if (this.#ending !== null) this.#fail(this.#ending);
  }

  #read(bytes: Buffer): void {
    const reader = this.#reader;
    // Bytes nobody asked for: whatever they are, the next answer must not begin with them.
    if (reader === null || this.#exchanging === null) return this.close();
    try {
      reader.push(bytes);
    } catch (error) {
      return this.#fail(error);
    }
    if (reader.done) this.#finish(reader);
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      return this.#fail(error);
    }
    const reader = this.#reader;
    if (reader?.done) this.#finish(reader);
  }

  #finish(reader: AnswerReader): void {
    const exchanging = this.#exchanging;
    if (exchanging === null) return;
    this.#exchanging = null;
    this.#reader = null;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    // A request that is still being written would follow its own answer.
    const isFree = this.isOpen && reader.restMs > 0 && this.#socket.writableLength === 0;
    if (!isFree) this.close();
    this.#onFree(this, isFree ? reader.restMs : 0);
    exchanging.handler.onEnd();
  }

  /** A stream that was paused at its last bytes tells its end all the same. */
  #end(): void {
    const reader = this.#reader;
    if (reader === null || this.#exchanging === null) return this.close();
    if (reader.isHolding) this.#ending = 'end';
    else this.#try(() => reader.end());
  }

  #break(error: Error): void {
    if (!this.#reader?.isHolding) return this.#fail(error);
    this.#ending ??= error;
    this.#onFree(this, 0);
  }

  #fail(error: unknown): void {
    const exchanging = this.#exchanging;
    this.#exchanging = null;
    this.#reader = null;
    this.close();
    this.#onFree(this, 0);
    exchanging?.handler.onError(error instanceof Error ? error : new Error(String(error)));
  }
}

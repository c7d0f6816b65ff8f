import type { Socket } from 'node:net';
import { ClosedEarlyError, type FlowControl, type UpstreamHandler } from '../transport.ts';
import { ResponseReader } from './response-reader.ts';

/** Text up to this size goes from V8 to the kernel without a request object or a second copy. */
const MAX_SINGLE_WRITE_BYTES = 16 * 1024;

/** One request under way: the head as Latin-1 text, the body, who hears the answer, and the brakes of that. */
export interface Http1Exchange extends FlowControl {
  readonly head: string;
  readonly body: Buffer | null;
  /** Its answer has a head only. */
  readonly isBodiless: boolean;
  readonly handler: UpstreamHandler;
}

/** Told of a connection that carries nothing any more: for how long it may rest, 0 when it is closed. */
export type OnConnectionIdle = (connection: Http1Connection, restMs: number) => void;

/** One socket to an upstream and the request on it, one after the other: HTTP/1.1 without pipelining. */
export class Http1Connection {
  /** Until then it may be used again, in milliseconds of the process. */
  idleUntil = 0;
  readonly #socket: Socket;
  readonly #onFree: OnConnectionIdle;
  #exchange: Http1Exchange | null = null;
  #reader: ResponseReader | null = null;
  #isPaused = false;
  /** How the connection ended while bytes of an answer were held back: told behind them. */
  #ending: 'end' | Error | null = null;

  constructor(socket: Socket, onFree: OnConnectionIdle) {
    this.#socket = socket;
    this.#onFree = onFree;
    const read = (bytes: Buffer) => this.#read(bytes);
    const end = () => this.#end();
    const broken = (error: Error) => this.#abort(error);
    const close = () => this.#abort(new ClosedEarlyError());
    socket.on('data', read).on('end', end).on('error', broken).on('close', close);
    // Whoever made it (a tunnel) may have stopped it.
    socket.resume();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(exchanging: Http1Exchange): void {
    const { head, body, handler, isBodiless } = exchanging;
    this.#exchange = exchanging;
    this.#reader = new ResponseReader(handler, exchanging, isBodiless);
    const socket = this.#socket;
    if (body === null || body.length === 0) socket.write(head, 'latin1');
    // A gathered write of two pieces costs several times a plain one (decisions/0016-hot-path-coding-rules.md).
    else if (body.length <= MAX_SINGLE_WRITE_BYTES) socket.write(head + body.toString('latin1'), 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
    handler.onConnected();
  }

  /** Nobody wants the answer of `exchanging` any more: the connection goes with it. */
  cancel(exchanging: Http1Exchange): void {
    if (this.#exchange !== exchanging) return;
    this.#exchange = null;
    this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Holds back the answer to `exchanging`; nobody else's, should the connection have gone over to another. */
  pause(exchanging: Http1Exchange): void {
    if (this.#exchange !== exchanging) return;
    this.#isPaused = true;
    this.#reader?.pause();
    this.#socket.pause();
  }

  resume(exchanging: Http1Exchange): void {
    if (this.#exchange !== exchanging || !this.#isPaused) return;
    this.#isPaused = false;
    const reader = this.#reader;
    this.#try(() => reader?.resume());
    if (this.#isPaused) return;
    this.#socket.resume();
    if (this.#ending === 'end') this.#end();
    else if (this.#ending !== null) this.#fail(this.#ending);
  }

  #read(bytes: Buffer): void {
    const reader = this.#reader;
    // Bytes nobody asked for: whatever they are, the next answer must not begin with them.
    if (reader === null || this.#exchange === null) return this.close();
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

  #finish(reader: ResponseReader): void {
    const exchanging = this.#exchange;
    if (exchanging === null) return;
    this.#exchange = null;
    this.#reader = null;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    // A request that is still being written would follow its own answer.
    const isFree = this.isOpen && reader.keepAliveMs > 0 && this.#socket.writableLength === 0;
    if (!isFree) this.close();
    this.#onFree(this, isFree ? reader.keepAliveMs : 0);
    exchanging.handler.onEnd();
  }

  /** A stream that was paused at its last bytes tells its end all the same. */
  #end(): void {
    const reader = this.#reader;
    if (reader === null || this.#exchange === null) return this.close();
    if (reader.hasHeldBytes) this.#ending = 'end';
    else this.#try(() => reader.end());
  }

  #abort(error: Error): void {
    if (!this.#reader?.hasHeldBytes) return this.#fail(error);
    this.#ending ??= error;
    this.#onFree(this, 0);
  }

  #fail(error: unknown): void {
    const exchanging = this.#exchange;
    this.#exchange = null;
    this.#reader = null;
    this.close();
    this.#onFree(this, 0);
    exchanging?.handler.onError(error instanceof Error ? error : new Error(String(error)));
  }
}

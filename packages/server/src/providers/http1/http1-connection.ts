import type { Socket } from 'node:net';
import { ConnectionClosedEarlyError, type FlowControl, type UpstreamResponseHandler } from '../transport.ts';
import { Http1ResponseReader } from './response-reader.ts';

/**
 * Maximum size of a body that is written together with the head as one text. Writing two buffers takes
 * longer.
 */
const MAX_SINGLE_WRITE_BYTES = 16 * 1024;

/**
 * A request in progress: the head as Latin-1 text, the body, the response handler, and the functions that pause
 * and resume the response.
 */
export interface InFlightHttp1Request extends FlowControl {
  readonly head: string;
  readonly body: Buffer | null;
  /** Whether the response has no body. */
  readonly isBodiless: boolean;
  readonly handler: UpstreamResponseHandler;
}

/**
 * Called when a connection becomes idle. `restMs` is the number of milliseconds during which the connection
 * can still be reused. It is 0 if the connection is closed.
 */
export type ConnectionIdleCallback = (connection: Http1Connection, restMs: number) => void;

/** A socket to a provider. It sends one request at a time: HTTP/1.1 without pipelining. */
export class Http1Connection {
  /** The time until which the connection may be reused, in monotonic milliseconds. */
  idleUntil = 0;
  readonly #socket: Socket;
  readonly #onFree: ConnectionIdleCallback;
  #exchange: InFlightHttp1Request | null = null;
  #reader: Http1ResponseReader | null = null;
  #isPaused = false;
  /** How the connection ended while bytes of a response were held back. It is reported after these bytes. */
  #ending: 'end' | Error | null = null;

  constructor(socket: Socket, onFree: ConnectionIdleCallback) {
    this.#socket = socket;
    this.#onFree = onFree;
    const read = (bytes: Buffer) => this.#read(bytes);
    const end = () => this.#end();
    const broken = (error: Error) => this.#abort(error);
    const close = () => this.#abort(new ConnectionClosedEarlyError());
    socket.on('data', read).on('end', end).on('error', broken).on('close', close);
    // A tunnel may have paused the socket.
    socket.resume();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(exchanging: InFlightHttp1Request): void {
    const { head, body, handler, isBodiless } = exchanging;
    this.#exchange = exchanging;
    this.#reader = new Http1ResponseReader(handler, exchanging, isBodiless);
    const socket = this.#socket;
    if (body === null || body.length === 0) socket.write(head, 'latin1');
    // Writing two buffers together costs several times as much as a single write
    // (decisions/0016-hot-path-coding-rules.md).
    else if (body.length <= MAX_SINGLE_WRITE_BYTES) socket.write(head + body.toString('latin1'), 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
    handler.onConnected();
  }

  /** Cancels the request `exchanging` and closes the connection. */
  cancel(exchanging: InFlightHttp1Request): void {
    if (this.#exchange !== exchanging) return;
    this.#exchange = null;
    this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Pauses the response to `exchanging`. Has no effect if the connection already has another request. */
  pause(exchanging: InFlightHttp1Request): void {
    if (this.#exchange !== exchanging) return;
    this.#isPaused = true;
    this.#reader?.pause();
    this.#socket.pause();
  }

  resume(exchanging: InFlightHttp1Request): void {
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
    // Unexpected bytes must not become part of the next response.
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

  #finish(reader: Http1ResponseReader): void {
    const exchanging = this.#exchange;
    if (exchanging === null) return;
    this.#exchange = null;
    this.#reader = null;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    // Not free while the request is still being written, because its response has already ended.
    const isFree = this.isOpen && reader.keepAliveMs > 0 && this.#socket.writableLength === 0;
    if (!isFree) this.close();
    this.#onFree(this, isFree ? reader.keepAliveMs : 0);
    exchanging.handler.onEnd();
  }

  /** Reports the end of the connection, but not before the held-back bytes of a paused stream. */
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

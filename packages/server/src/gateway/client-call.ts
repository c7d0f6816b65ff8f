import type { Readable } from 'node:stream';
import type { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { BodyRecorder } from './bodies/body-recorder.ts';
import type { ResponseRecorder } from './cache/response-recorder.ts';

/** Thrown when the client closed its connection before it received the complete response. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

/**
 * Resolves after `ms`. Rejects with `client.interruption` if the client disconnects or the exchange is
 * interrupted.
 */
export function waitUnlessInterrupted(client: ClientCall, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      client.onInterrupt = null;
      resolve();
    });
    const leave = () => {
      timer.cancel();
      reject(client.interruption);
    };
    client.onInterrupt = leave;
    if (client.isInterrupted) leave();
  });
}

/** Request headers by lowercase name. The values of a repeated header are joined. */
export interface RequestHeaders {
  readonly authorization?: string | undefined;
  readonly 'user-agent'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'access-control-request-headers'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'transfer-encoding'?: string | undefined;
  readonly [name: string]: string | string[] | undefined;
}

/** The capacity that the body of a request uses, and a buffered response to it. */
export interface RequestBodyCapacity {
  /**
   * Must be called before Floe reads a body that has not arrived completely. Until `endBody`, the request does
   * not count as in progress, so that slow clients do not use the capacity that other requests need.
   * `onEvicted` is called if the request is rejected because the bodies of too many requests are arriving.
   */
  beginBody(onEvicted: (fault: Fault) => void): void;
  /** Must be called when the body is complete. Returns a fault if too many requests are in progress. */
  endBody(): Fault | null;
  /** Reserves memory for a part of a body. Returns false if no memory is available. */
  tryTakeBodyBytes(bytes: number): boolean;
  /** Gives back memory before the end of the request. */
  releaseBodyBytes(bytes: number): void;
  /** Reserves space on disk for a part of a body. Returns false if no space is available. */
  tryTakeBodyDiskBytes(bytes: number): boolean;
  /** Records that a request is rejected because no memory or space is available, and returns its fault. */
  reject(reason?: 'body_memory' | 'body_disk'): Fault;
}

/**
 * Transfers one client request and its response, independently of the HTTP server implementation.
 */
export interface ClientTransport {
  /** Identifies the connection. The same object for all requests of a connection. */
  readonly connection: object;
  readonly method: string;
  /** The request target as it was sent, including the query. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** A flat list of names and values as they were sent, including repeated headers. */
  readonly rawHeaders: readonly string[];
  /** The body as it arrives, for a request that is not buffered. */
  readonly incoming: Readable;
  /** Whether the head of the response has been sent. */
  readonly headersSent: boolean;
  /** Calls `client.leave` once if the connection closes before the response is complete. */
  watch(client: { leave(): void }): void;
  /** Sets a header that the response will have, even if it is an error. */
  setHeader(name: string, value: string): void;
  /**
   * Marks the connection as authenticated. The limits for unauthenticated connections then no longer apply.
   */
  markAuthenticated(): void;
  /**
   * Reads the complete body, and reserves memory for each part of it.
   * @throws Fault `overloaded`, `request_too_large`, `unsupported_media_type`, or `request_timeout` if the
   * client sends too slowly (`BodyDeadline`); `ClientDisconnectedError` if the connection closes first
   */
  readBody(limitBytes: number, capacity: RequestBodyCapacity | null): Promise<Buffer>;
  /** Sends a complete response. `headers` is a flat list of names and values. */
  sendAnswer(status: number, headers: readonly string[], body: Buffer): void;
  /** Starts a response of unknown length. */
  startAnswer(status: number, headers: readonly string[]): void;
  /**
   * Writes a part of the response. Returns false if the client reads too slowly; `onDrain` then reports when
   * to continue.
   */
  write(bytes: Buffer | string): boolean;
  onDrain(callback: () => void): void;
  end(): void;
  /** Closes a streamed response without completing it. Bytes that were written are still sent. */
  abort(): void;
}

/** A client request and its response, with the data recorded about them. */
export class ClientCall {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly method: string;
  /**
   * Called once if the client disconnects before the response is complete, or if the exchange is interrupted.
   */
  onInterrupt: (() => void) | null = null;
  isDisconnected = false;
  #interruptReason: Error | null = null;
  bytesOut = 0;
  /** Records the response body for the cache; null if the response is not cached. */
  answerRecorder: ResponseRecorder | null = null;
  /**
   * Records the response body, including that of an error, if the organization stores bodies; otherwise null.
   */
  bodyRecorder: BodyRecorder | null = null;
  /** The capacity for the request body; null before authentication. */
  bodyCapacity: RequestBodyCapacity | null = null;
  readonly #transport: ClientTransport;

  constructor(id: string, transport: ClientTransport) {
    this.id = id;
    this.headers = transport.headers;
    this.method = transport.method;
    this.#transport = transport;
    transport.watch(this);
  }

  /** Records that the connection has closed. */
  leave(): void {
    this.isDisconnected = true;
    this.onInterrupt?.();
  }

  /** Interrupts the exchange and sends the reason to the client. */
  interrupt(reason: Error): void {
    if (this.isDisconnected || this.#interruptReason !== null) return;
    this.#interruptReason = reason;
    this.onInterrupt?.();
  }

  get isInterrupted(): boolean {
    return this.isDisconnected || this.#interruptReason !== null;
  }

  /** The error with which an interrupted exchange ends. */
  get interruption(): Error {
    return this.isDisconnected || this.#interruptReason === null
      ? new ClientDisconnectedError('the client disconnected')
      : this.#interruptReason;
  }

  /** See `ClientTransport`. */
  readBody(limitBytes: number): Promise<Buffer> {
    return this.#transport.readBody(limitBytes, this.bodyCapacity);
  }

  get target(): string {
    return this.#transport.target;
  }

  /** See `ClientTransport`. */
  get connection(): object {
    return this.#transport.connection;
  }

  get rawHeaders(): readonly string[] {
    return this.#transport.rawHeaders;
  }

  get incoming(): Readable {
    return this.#transport.incoming;
  }

  setHeader(name: string, value: string): void {
    this.#transport.setHeader(name, value);
  }

  /** See `ClientTransport`. */
  markAuthenticated(): void {
    this.#transport.markAuthenticated();
  }

  /**
   * Sends a complete response. Does nothing if a response has started. `headers` is a flat list of names and
   * values.
   */
  sendAnswer(status: number, headers: readonly string[], body: Buffer | string): void {
    if (this.#transport.headersSent || this.isDisconnected) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    // Throws if it cannot be sent. Nothing is recorded in that case.
    this.#transport.sendAnswer(status, headers, bytes);
    this.bytesOut += bytes.length;
    this.answerRecorder?.add(bytes);
    this.bodyRecorder?.add(bytes);
  }

  /** Starts a response of unknown length. `headers` is a flat list of names and values. */
  startAnswer(status: number, headers: readonly string[]): void {
    this.#transport.startAnswer(status, headers);
  }

  /**
   * Writes a part of the response. Returns false if the client reads more slowly than the provider sends;
   * `onDrain` then reports when to continue.
   */
  write(bytes: Buffer | string): boolean {
    this.bytesOut += typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    this.answerRecorder?.add(bytes);
    this.bodyRecorder?.add(bytes);
    return this.#transport.write(bytes);
  }

  /** Writes text that is not part of the response and is not recorded. */
  writeComment(text: string): void {
    this.bytesOut += Buffer.byteLength(text);
    this.#transport.write(text);
  }

  onDrain(callback: () => void): void {
    this.#transport.onDrain(callback);
  }

  end(): void {
    this.#transport.end();
  }

  abort(): void {
    this.#transport.abort();
  }

  /** Ends a streamed response with its last bytes. The connection stays open for further requests. */
  endWith(bytes: string): void {
    this.write(bytes);
    this.end();
  }
}

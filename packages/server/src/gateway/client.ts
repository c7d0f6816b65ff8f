import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { BodyRecorder } from './bodies/body-recorder.ts';
import type { AnswerRecorder } from './cache/answer-recorder.ts';

/** The client closed its connection; nobody is left to answer. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

/** Resolves after `ms`; rejects with `client.interruption` as soon as the client leaves or its exchange is stopped. */
export function waitUnlessInterrupted(client: ClientConnection, clock: Clock, ms: number): Promise<void> {
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

/** Header fields by their names in lower case, repeats joined. */
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

/** What carries one request in and its answer out. */
export interface HttpTransport {
  readonly method: string;
  /** Request target as it was sent, query included. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Names and values as they were sent, flat, repeats included. */
  readonly rawHeaders: readonly string[];
  /** The body as it arrives, for a request that is not read whole. */
  readonly incoming: Readable;
  /** The head of an answer is on its way. */
  readonly headersSent: boolean;
  /** `client.leave` is called once when the connection closes before the answer is whole. */
  watch(client: { leave(): void }): void;
  /** A header of whatever answer this request gets. */
  setHeader(name: string, value: string): void;
  /** The request has authenticated: its connection is no longer one of a stranger. */
  markAuthenticated(): void;
  /**
   * The whole body. Throws `request_too_large`, `unsupported_media_type`, `request_timeout` when it stalls for
   * 30 s or drips slower than 1 KB a second, and `ClientDisconnectedError` when the connection closes first.
   */
  readBody(limitBytes: number): Promise<Buffer>;
  /** Sends a whole answer; `headers` is a flat list of names and values. */
  sendAnswer(status: number, headers: readonly string[], body: Buffer): void;
  /** Starts an answer whose end is not known yet. */
  startAnswer(status: number, headers: readonly string[]): void;
  /** False when the client reads slower than this is written; `onDrain` tells when to go on. */
  write(bytes: Buffer | string): boolean;
  onDrain(callback: () => void): void;
  end(): void;
  /** Breaks a streamed answer off: what was written goes out, and its framing never ends. */
  abort(): void;
}

/** One client request and its answer, with what is noted of it on the way. */
export class ClientConnection {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly method: string;
  /** Called once when the client leaves before its answer is whole, or its exchange is stopped. */
  onInterrupt: (() => void) | null = null;
  isDisconnected = false;
  #interruptReason: Error | null = null;
  bytesOut = 0;
  /** Takes down the answer's body as it is told. */
  answerRecorder: AnswerRecorder | null = null;
  /** The same for an org that keeps bodies, errors included. */
  bodyRecorder: BodyRecorder | null = null;
  readonly #transport: HttpTransport;

  constructor(id: string, transport: HttpTransport) {
    this.id = id;
    this.headers = transport.headers;
    this.method = transport.method;
    this.#transport = transport;
    transport.watch(this);
  }

  /** Told by the carrier. */
  leave(): void {
    this.isDisconnected = true;
    this.onInterrupt?.();
  }

  /** Ends what goes on for this client, who is told why. */
  interrupt(reason: Error): void {
    if (this.isDisconnected || this.#interruptReason !== null) return;
    this.#interruptReason = reason;
    this.onInterrupt?.();
  }

  get isInterrupted(): boolean {
    return this.isDisconnected || this.#interruptReason !== null;
  }

  /** What an exchange that is interrupted ends with. */
  get interruption(): Error {
    return this.isDisconnected || this.#interruptReason === null
      ? new ClientDisconnectedError('the client left')
      : this.#interruptReason;
  }

  /** See `HttpTransport`. */
  readBody(limitBytes: number): Promise<Buffer> {
    return this.#transport.readBody(limitBytes);
  }

  get target(): string {
    return this.#transport.target;
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

  /** See `HttpTransport`. */
  markAuthenticated(): void {
    this.#transport.markAuthenticated();
  }

  /** Sends a whole answer, unless one has begun. `headers` is a flat list of names and values. */
  sendAnswer(status: number, headers: readonly string[], body: Buffer | string): void {
    if (this.#transport.headersSent || this.isDisconnected) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    // What cannot be sent throws here, and nothing of it is noted.
    this.#transport.sendAnswer(status, headers, bytes);
    this.bytesOut += bytes.length;
    this.answerRecorder?.add(bytes);
    this.bodyRecorder?.add(bytes);
  }

  /** Starts an answer whose end is not known yet. */
  startAnswer(status: number, headers: readonly string[]): void {
    this.#transport.startAnswer(status, headers);
  }

  /** False when the client reads slower than the upstream writes; `onDrain` tells when to go on. */
  write(bytes: Buffer | string): boolean {
    this.bytesOut += typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    this.answerRecorder?.add(bytes);
    this.bodyRecorder?.add(bytes);
    return this.#transport.write(bytes);
  }

  /** What is no part of the answer: nothing of it is kept. */
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

  /** Ends a streamed answer with its last bytes. The connection is as good as before: it was announced as kept. */
  endWith(bytes: string): void {
    this.write(bytes);
    this.end();
  }
}

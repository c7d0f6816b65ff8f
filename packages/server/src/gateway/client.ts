import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { BodyTape } from './bodies/body-tape.ts';
import type { Tape } from './cache/tape.ts';

/** The client closed its connection; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Resolves after `ms`; rejects with `client.interruption` as soon as the client leaves or its exchange is stopped. */
export function pauseUnlessGone(client: Client, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      client.onGone = null;
      resolve();
    });
    const leave = () => {
      timer.cancel();
      reject(client.interruption);
    };
    client.onGone = leave;
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
export interface Carrier {
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
  always(name: string, value: string): void;
  /** The request has authenticated: its connection is no longer one of a stranger. */
  authenticated(): void;
  /**
   * The whole body. Throws `request_too_large`, `unsupported_media_type`, `request_timeout` when it stalls for
   * 30 s or drips slower than 1 KB a second, and `ClientGone` when the connection closes first.
   */
  readBody(limitBytes: number): Promise<Buffer>;
  /** Sends a whole answer; `headers` is a flat list of names and values. */
  answer(status: number, headers: readonly string[], body: Buffer): void;
  /** Starts an answer whose end is not known yet. */
  open(status: number, headers: readonly string[]): void;
  /** False when the client reads slower than this is written; `onDrain` tells when to go on. */
  write(bytes: Buffer | string): boolean;
  onDrain(callback: () => void): void;
  end(): void;
  /** Breaks a streamed answer off: what was written goes out, and its framing never ends. */
  breakOff(): void;
}

/** One client request and its answer, with what is noted of it on the way. */
export class Client {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly method: string;
  /** Called once when the client leaves before its answer is whole, or its exchange is stopped. */
  onGone: (() => void) | null = null;
  gone = false;
  #stopped: Error | null = null;
  bytesOut = 0;
  /** Takes down the answer's body as it is told. */
  tape: Tape | null = null;
  /** The same for an org that keeps bodies, errors included. */
  bodyTape: BodyTape | null = null;
  readonly #carrier: Carrier;

  constructor(id: string, carrier: Carrier) {
    this.id = id;
    this.headers = carrier.headers;
    this.method = carrier.method;
    this.#carrier = carrier;
    carrier.watch(this);
  }

  /** Told by the carrier. */
  leave(): void {
    this.gone = true;
    this.onGone?.();
  }

  /** Ends what goes on for this client, who is told why. */
  stop(reason: Error): void {
    if (this.gone || this.#stopped !== null) return;
    this.#stopped = reason;
    this.onGone?.();
  }

  get isInterrupted(): boolean {
    return this.gone || this.#stopped !== null;
  }

  /** What an exchange that is interrupted ends with. */
  get interruption(): Error {
    return this.gone || this.#stopped === null ? new ClientGone('the client left') : this.#stopped;
  }

  /** See `Carrier`. */
  readBody(limitBytes: number): Promise<Buffer> {
    return this.#carrier.readBody(limitBytes);
  }

  get target(): string {
    return this.#carrier.target;
  }

  get rawHeaders(): readonly string[] {
    return this.#carrier.rawHeaders;
  }

  get incoming(): Readable {
    return this.#carrier.incoming;
  }

  always(name: string, value: string): void {
    this.#carrier.always(name, value);
  }

  /** See `Carrier`. */
  authenticated(): void {
    this.#carrier.authenticated();
  }

  /** Sends a whole answer, unless one has begun. `headers` is a flat list of names and values. */
  answer(status: number, headers: readonly string[], body: Buffer | string): void {
    if (this.#carrier.headersSent || this.gone) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    // What cannot be sent throws here, and nothing of it is noted.
    this.#carrier.answer(status, headers, bytes);
    this.bytesOut += bytes.length;
    this.tape?.add(bytes);
    this.bodyTape?.add(bytes);
  }

  /** Starts an answer whose end is not known yet. */
  open(status: number, headers: readonly string[]): void {
    this.#carrier.open(status, headers);
  }

  /** False when the client reads slower than the upstream writes; `onDrain` tells when to go on. */
  write(bytes: Buffer | string): boolean {
    this.bytesOut += typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    this.tape?.add(bytes);
    this.bodyTape?.add(bytes);
    return this.#carrier.write(bytes);
  }

  /** What is no part of the answer: nothing of it is kept. */
  comment(text: string): void {
    this.bytesOut += Buffer.byteLength(text);
    this.#carrier.write(text);
  }

  onDrain(callback: () => void): void {
    this.#carrier.onDrain(callback);
  }

  end(): void {
    this.#carrier.end();
  }

  breakOff(): void {
    this.#carrier.breakOff();
  }

  /** Ends a streamed answer with its last bytes. The connection is as good as before: it was announced as kept. */
  endWith(bytes: string): void {
    this.write(bytes);
    this.end();
  }
}

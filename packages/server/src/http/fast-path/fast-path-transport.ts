import { Readable } from 'node:stream';
import { createBodyTooLargeFault, requireJsonBody } from '../../gateway/body-checks.ts';
import {
  ClientDisconnectedError,
  type ClientTransport,
  type RequestBodyCapacity,
  type RequestHeaders,
} from '../../gateway/client-call.ts';
import type { FastPathRequestHead } from './fast-path-request-head.ts';
import type { BodyFraming } from './response-head-writer.ts';

const LAST_CHUNK = '0\r\n\r\n';

/** The connection to which the fast path writes responses. */
export interface FastPathResponseSink {
  formatHead(status: number, headers: readonly string[], framing: BodyFraming): string;
  /**
   * Sends `before`, `bytes` and `after`. The strings contain the HTTP framing as Latin-1. Returns false if the
   * buffer of the socket is full.
   */
  send(before: string, bytes: Buffer | null, after: string): boolean;
  onDrain(callback: () => void): void;
  /** Queues a complete response. It is sent with the other responses of this turn of the event loop. */
  queueAnswer(head: string, body: Buffer | null): void;
  authenticated(): void;
  /** Marks the response as complete. `closing` ends the connection after it. */
  finish(closing: boolean): void;
  /** Sends pending output and closes the connection. */
  closeAfterFlush(): void;
}

/** The transport of one fast-path request. The request was read completely before the exchange started. */
export class FastPathTransport implements ClientTransport {
  readonly method = 'POST';
  readonly target: string;
  readonly headers: RequestHeaders;
  headersSent = false;
  readonly #line: FastPathResponseSink;
  readonly #length: number;
  readonly #body: Buffer | null;
  #always: readonly string[] = [];
  #client: { leave(): void } | null = null;
  /** The head of a started response until its first bytes are sent with it. */
  #head = '';
  /** True if nothing more is sent: the response is complete or broken, or the client disconnected. */
  #over = false;

  /** `body` is null if the client disconnected before it was complete. */
  constructor(
    line: FastPathResponseSink,
    target: string,
    { headers, length }: FastPathRequestHead,
    body: Buffer | null,
  ) {
    this.#line = line;
    this.target = target;
    this.headers = headers;
    this.#length = length;
    this.#body = body;
  }

  get connection(): object {
    return this.#line;
  }

  get rawHeaders(): readonly string[] {
    return Object.entries(this.headers).flatMap(([name, value]) => [name, String(value)]);
  }

  get incoming(): Readable {
    return Readable.from(this.#body === null ? [] : [this.#body]);
  }

  watch(client: { leave(): void }): void {
    this.#client = client;
  }

  /** Called when the connection is closed. */
  onConnectionClosed(): void {
    if (this.#over) return;
    this.#over = true;
    this.#client?.leave();
  }

  markAuthenticated(): void {
    this.#line.authenticated();
  }

  readBody(limitBytes: number, capacity: RequestBodyCapacity | null): Promise<Buffer> {
    requireJsonBody(this.headers);
    if (this.#length > limitBytes) throw createBodyTooLargeFault(limitBytes);
    if (capacity && !capacity.tryTakeBodyBytes(this.#length)) throw capacity.reject();
    return this.#body === null
      ? Promise.reject(new ClientDisconnectedError('the client disconnected while sending its request'))
      : Promise.resolve(this.#body);
  }

  setHeader(name: string, value: string): void {
    this.#always = [...this.#always, name, value];
  }

  sendAnswer(status: number, headers: readonly string[], body: Buffer): void {
    if (this.#over) return;
    // RFC 9110, 8.6 and 15.4.5: neither has a body, and a 204 has no length.
    const isBodiless = status === 204 || status === 304;
    const head = this.#headOf(status, headers, status === 204 ? 'none' : body.length);
    this.#over = true;
    this.#line.queueAnswer(head, isBodiless ? null : body);
  }

  startAnswer(status: number, headers: readonly string[]): void {
    this.#head = this.#headOf(status, headers, 'chunked');
  }

  write(bytes: Buffer | string): boolean {
    if (this.#over || bytes.length === 0) return true;
    return this.#sendChunk(bytes, '');
  }

  onDrain(callback: () => void): void {
    this.#line.onDrain(callback);
  }

  end(): void {
    if (this.#over) return;
    this.#line.send(this.#takeHead(), null, LAST_CHUNK);
    this.#finish(false);
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#line.closeAfterFlush();
  }

  #headOf(status: number, headers: readonly string[], framing: BodyFraming): string {
    const all = this.#always.length === 0 ? headers : [...this.#always, ...headers];
    const head = this.#line.formatHead(status, all, framing);
    this.headersSent = true;
    return head;
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  /** Sends one chunk (RFC 9112, 7.1), after the head if that is not sent yet. */
  #sendChunk(given: Buffer | string, behind: string): boolean {
    const bytes = typeof given === 'string' ? Buffer.from(given) : given;
    const before = `${this.#takeHead()}${bytes.length.toString(16)}\r\n`;
    return this.#line.send(before, bytes, `\r\n${behind}`);
  }

  #finish(closing: boolean): void {
    this.#over = true;
    this.#line.finish(closing);
  }
}

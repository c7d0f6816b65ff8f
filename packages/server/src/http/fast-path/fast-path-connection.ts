import type { Socket } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { createId } from '../../core/ids.ts';
import { ClientCall } from '../../gateway/client-call.ts';
import { markConnectionAuthenticated } from '../unauthenticated-connection-limiter.ts';
import type { ExchangeRoute, FindExchangeRoute } from './exchange-route.ts';
import { type FastPathRequestHead, POST_PREFIX, parseFastPathRequestHead } from './fast-path-request-head.ts';
import { type FastPathResponseSink, FastPathTransport } from './fast-path-transport.ts';
import type { BodyFraming, ResponseHeadWriter } from './response-head-writer.ts';

const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 8 * 1024;
/** Maximum number of pipelined bytes while a response is in progress. Then reading pauses. */
const MAX_PIPELINED_BYTES = 64 * 1024;
/**
 * A string up to this size is written without a second copy in V8 (decisions/0016-hot-path-coding-rules.md).
 */
const MAX_SINGLE_WRITE_BYTES = 16 * 1024;

/** A request whose head is parsed and whose body is incomplete. */
interface PendingRequest {
  readonly head: FastPathRequestHead;
  readonly route: ExchangeRoute;
  /** Offset of the body. */
  readonly bodyStart: number;
}

/** Owns fast-path connections and receives their events. */
export interface FastPathConnectionOwner {
  readonly clock: Clock;
  readonly headWriter: ResponseHeadWriter;
  readonly findExchangeRoute: FindExchangeRoute;
  /** Whether every further response must close its connection. */
  readonly isDraining: boolean;
  /** Called when a connection has received the beginning of a request. */
  scheduleWaitCheck(): void;
  /** Called when the response of a connection is complete and can be sent with others of this turn. */
  scheduleAnswer(connection: FastPathConnection): void;
  /**
   * Called when a connection has received a request that the fast path does not support. `node:http` takes
   * over.
   */
  handOff(connection: FastPathConnection, socket: Socket): void;
  onConnectionClosed(connection: FastPathConnection): void;
}

/**
 * A client connection that has so far carried only fast-path requests, one after the other. At the
 * first other request, `node:http` takes over the connection, and receives all input for which no
 * response has been sent.
 */
export class FastPathConnection implements FastPathResponseSink {
  /**
   * Since when the connection has been waiting for a request, for the rest of a request, or for its end
   * (monotonic time in milliseconds).
   */
  waitingSince: number;
  readonly #socket: Socket;
  readonly #host: FastPathConnectionOwner;
  #carrier: FastPathTransport | null = null;
  #begun: PendingRequest | null = null;
  #isAwaitingRequest = false;
  #pieces: Buffer[] = [];
  #size = 0;
  #whole: { readonly head: string; readonly body: Buffer | null } | null = null;
  /** The current response announces that it closes the connection. */
  #isLast = false;
  /** The connection is closing. A further request could not get a response. */
  #isEnding = false;
  /** A caller has authenticated over this connection. */
  #isKnown = false;
  readonly #onData = (bytes: Buffer) => this.#take(bytes);
  readonly #onEnd = () => this.#socket.end();
  readonly #onClose = () => this.#closed();

  constructor(socket: Socket, host: FastPathConnectionOwner) {
    this.#socket = socket;
    this.#host = host;
    this.waitingSince = host.clock.monotonic();
    // A client that closes its sending side counts as disconnected, as with node:http. 'close' follows an
    // error.
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', ignore).on('close', this.#onClose);
  }

  /** Whether the connection has no request, and all responses are sent. */
  get isIdle(): boolean {
    return this.#carrier === null && !this.#isAwaitingRequest && this.#socket.writableLength === 0;
  }

  /** Whether the connection has received the beginning of a request. */
  get isAwaitingRequest(): boolean {
    return this.#isAwaitingRequest;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Hands the connection to `node:http`, starting with the input that has no response yet. */
  handOff(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', ignore).off('close', this.#onClose);
    socket.pause();
    if (this.#size > 0) socket.unshift(this.#gathered());
    this.#host.handOff(this, socket);
    process.nextTick(() => socket.resume());
  }

  formatHead(status: number, headers: readonly string[], framing: BodyFraming): string {
    this.#isLast = this.#host.isDraining;
    return this.#host.headWriter.write(status, headers, framing, this.#isLast);
  }

  send(before: string, bytes: Buffer | null, after: string): boolean {
    const socket = this.#socket;
    if (bytes === null) return socket.write(before + after, 'latin1');
    if (bytes.length <= MAX_SINGLE_WRITE_BYTES)
      return socket.write(before + bytes.toString('latin1') + after, 'latin1');
    socket.cork();
    socket.write(before, 'latin1');
    const isFlowing = socket.write(bytes);
    if (after !== '') socket.write(after, 'latin1');
    socket.uncork();
    return isFlowing;
  }

  authenticated(): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    markConnectionAuthenticated(this.#socket);
  }

  onDrain(callback: () => void): void {
    this.#socket.once('drain', callback);
  }

  queueAnswer(head: string, body: Buffer | null): void {
    this.#whole = { head, body };
    this.#host.scheduleAnswer(this);
  }

  /** Sends the complete response that was queued with others of this turn. */
  sendQueuedAnswer(): void {
    const whole = this.#whole;
    if (whole === null) return;
    this.#whole = null;
    this.send(whole.head, whole.body, '');
    this.finish(false);
  }

  finish(closing: boolean): void {
    this.#carrier = null;
    this.waitingSince = this.#host.clock.monotonic();
    // A response that started before the drain states that the connection stays open. Closing it immediately leaves
    // the client the least time to send another request.
    if (this.#isLast || (this.#host.isDraining && this.#size === 0)) this.closeAfterFlush();
    else if (closing) {
      this.#isEnding = true;
      this.#socket.end();
    }
    // Pipelined requests are rare, so they always go to `node:http`.
    else if (this.#size > 0) this.handOff();
  }

  closeAfterFlush(): void {
    this.#carrier = null;
    this.#isEnding = true;
    this.#socket.destroySoon();
  }

  #take(bytes: Buffer): void {
    if (this.#isEnding) return;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#carrier) {
      if (this.#size > MAX_PIPELINED_BYTES) this.#socket.pause();
      return;
    }
    const begun = this.#begun ?? this.#begin();
    if (begun === null) return;
    const length = begun.bodyStart + begun.head.length;
    if (this.#size >= length) this.#exchange(begun, length);
    else this.#wait(begun);
  }

  /** Parses the head. Null if it is incomplete or not supported. */
  #begin(): PendingRequest | null {
    const bytes = this.#gathered();
    const end = bytes.indexOf(HEAD_END, 0, 'latin1');
    const isHead = end !== -1 && end <= MAX_HEAD_BYTES;
    const head = isHead ? parseFastPathRequestHead(bytes.toString('latin1', 0, end)) : null;
    const place = head ? this.#host.findExchangeRoute(head.target) : undefined;
    if (head && place) return { head, route: place, bodyStart: end + HEAD_END.length };
    if (
      end === -1 &&
      bytes.length <= MAX_HEAD_BYTES &&
      POST_PREFIX.startsWith(bytes.toString('latin1', 0, POST_PREFIX.length))
    )
      this.#wait(null);
    else this.handOff();
    return null;
  }

  #wait(begun: PendingRequest | null): void {
    this.#begun = begun;
    if (this.#isAwaitingRequest) return;
    this.#isAwaitingRequest = true;
    this.waitingSince = this.#host.clock.monotonic();
    this.#host.scheduleWaitCheck();
  }

  #exchange(begun: PendingRequest, length: number): void {
    const bytes = this.#gathered();
    this.#keep(bytes, length);
    this.#isLast = false;
    this.#ask(begun, bytes.subarray(begun.bodyStart, length));
  }

  /** Keeps what follows the first `length` bytes, and clears the current request. */
  #keep(bytes: Buffer | null, length: number): void {
    this.#begun = null;
    this.#isAwaitingRequest = false;
    this.#size = (bytes?.length ?? 0) - length;
    this.#pieces = bytes && this.#size > 0 ? [bytes.subarray(length)] : [];
  }

  /** Starts the exchange. `body` is null if it never became complete. */
  #ask({ head, route }: PendingRequest, body: Buffer | null): void {
    const carrier = new FastPathTransport(this, route.path, head, body);
    this.#carrier = carrier;
    route.answer(new ClientCall(createId('exc', this.#host.clock.now()), carrier));
  }

  #gathered(): Buffer {
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [bytes];
    return bytes;
  }

  #closed(): void {
    this.#host.onConnectionClosed(this);
    // The request is counted even if the client disconnects before it is complete.
    const begun = this.#begun;
    this.#whole = null;
    this.#keep(null, 0);
    if (begun) this.#ask(begun, null);
    const carrier = this.#carrier;
    this.#carrier = null;
    carrier?.onConnectionClosed();
  }
}

function ignore(): void {
  // 'close' follows.
}

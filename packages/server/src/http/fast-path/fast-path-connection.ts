import type { Socket } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { ClientConnection } from '../../gateway/client.ts';
import { markAuthenticated } from '../unauthenticated-connections.ts';
import type { AnswerHeadWriter, BodyFraming } from './answer-head-writer.ts';
import type { ExchangeRoute, FindExchangeRoute } from './exchange-route.ts';
import { type AnswerOutput, FastPathTransport } from './fast-path-transport.ts';
import { POST_PREFIX, parseRequestHead, type RequestHead } from './request-head.ts';

const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 8 * 1024;
/** What a client may send ahead while its answer is under way, before it is read no further. */
const MAX_PIPELINED_BYTES = 64 * 1024;
/** Text up to this size goes from V8 to the kernel without a second copy (decisions/0016-hot-path-coding-rules.md). */
const MAX_SINGLE_WRITE_BYTES = 16 * 1024;

/** A request whose head was read and whose body is not whole yet. */
interface PendingRequest {
  readonly head: RequestHead;
  readonly route: ExchangeRoute;
  /** Where the body begins. */
  readonly bodyStart: number;
}

/** Whoever took a connection, and hears what becomes of it. */
export interface FastPathConnectionHost {
  readonly clock: Clock;
  readonly headWriter: AnswerHeadWriter;
  readonly findExchangeRoute: FindExchangeRoute;
  /** Every answer from now on is the last of its connection. */
  readonly isDraining: boolean;
  /** A connection has the beginning of a request. */
  scheduleWaitCheck(): void;
  /** Its answer is whole, and leaves with others of this turn. */
  scheduleAnswer(connection: FastPathConnection): void;
  /** Something came that is not read here: `node:http` goes on. */
  handOff(connection: FastPathConnection, socket: Socket): void;
  onConnectionClosed(connection: FastPathConnection): void;
}

/**
 * A client's connection for as long as plain requests come over it, one after the other. With the first byte of
 * anything else `node:http` gets it, and all that was read and not answered.
 */
export class FastPathConnection implements AnswerOutput {
  /** Monotonic milliseconds since when it waits: for a request, the rest of one, or its own end. */
  waitingSince: number;
  readonly #socket: Socket;
  readonly #host: FastPathConnectionHost;
  #carrier: FastPathTransport | null = null;
  #begun: PendingRequest | null = null;
  #isAwaitingRequest = false;
  #pieces: Buffer[] = [];
  #size = 0;
  #whole: { readonly head: string; readonly body: Buffer | null } | null = null;
  /** The answer under way says that the connection ends with it. */
  #isLast = false;
  /** Its end is on the way: a request that still comes could not be answered. */
  #isEnding = false;
  /** Somebody has authenticated over it. */
  #isKnown = false;
  readonly #onData = (bytes: Buffer) => this.#take(bytes);
  readonly #onEnd = () => this.#socket.end();
  readonly #onClose = () => this.#closed();

  constructor(socket: Socket, host: FastPathConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.waitingSince = host.clock.monotonic();
    // A client that closes its sending side has left, as it has for node:http; what failed is known from 'close'.
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', ignore).on('close', this.#onClose);
  }

  /** It carries nothing, and all that was answered has left. */
  get isIdle(): boolean {
    return this.#carrier === null && !this.#isAwaitingRequest && this.#socket.writableLength === 0;
  }

  /** It has the beginning of a request. */
  get isAwaitingRequest(): boolean {
    return this.#isAwaitingRequest;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** From here on `node:http` reads, beginning with what is not answered yet. */
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
    markAuthenticated(this.#socket);
  }

  onDrain(callback: () => void): void {
    this.#socket.once('drain', callback);
  }

  queueAnswer(head: string, body: Buffer | null): void {
    this.#whole = { head, body };
    this.#host.scheduleAnswer(this);
  }

  /** Sends the whole answer that waited for the others of its turn. */
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
    // A response that began before the drain promised another request: closing at once leaves the least time to send it.
    if (this.#isLast || (this.#host.isDraining && this.#size === 0)) this.closeAfterFlush();
    else if (closing) {
      this.#isEnding = true;
      this.#socket.end();
    }
    // Sent ahead: whether it is plain or not is not worth a second look.
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

  /** Reads the head; null when it is not whole, or not ours to read. */
  #begin(): PendingRequest | null {
    const bytes = this.#gathered();
    const end = bytes.indexOf(HEAD_END, 0, 'latin1');
    const isHead = end !== -1 && end <= MAX_HEAD_BYTES;
    const head = isHead ? parseRequestHead(bytes.toString('latin1', 0, end)) : null;
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

  /** What of `bytes` comes behind the first `length`, and no request under way. */
  #keep(bytes: Buffer | null, length: number): void {
    this.#begun = null;
    this.#isAwaitingRequest = false;
    this.#size = (bytes?.length ?? 0) - length;
    this.#pieces = bytes && this.#size > 0 ? [bytes.subarray(length)] : [];
  }

  /** `body` is null when it never became whole. */
  #ask({ head, route }: PendingRequest, body: Buffer | null): void {
    const carrier = new FastPathTransport(this, route.path, head, body);
    this.#carrier = carrier;
    route.answer(new ClientConnection(newId('exc', this.#host.clock.now()), carrier));
  }

  #gathered(): Buffer {
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [bytes];
    return bytes;
  }

  #closed(): void {
    this.#host.onConnectionClosed(this);
    // Who leaves within a request has asked all the same: it is accounted for.
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

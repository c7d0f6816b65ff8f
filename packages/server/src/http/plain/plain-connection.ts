import type { Socket } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { Client } from '../../gateway/client.ts';
import { noteAuthenticated } from '../unauthenticated-connections.ts';
import type { AnswerHeads, Framing } from './answer-head.ts';
import type { ExchangePlace, PlaceOf } from './exchange-place.ts';
import { type AnswerLine, PlainCarrier } from './plain-carrier.ts';
import { METHOD, type RequestHead, readRequestHead } from './request-head.ts';

const HEAD_END = '\r\n\r\n';
const HEAD_BYTES = 8 * 1024;
/** What a client may send ahead while its answer is under way, before it is read no further. */
const AHEAD_BYTES = 64 * 1024;
/** Text up to this size goes from V8 to the kernel without a second copy (decisions/0016-hot-path.md). */
const ONE_WRITE_BYTES = 16 * 1024;

/** A request whose head was read and whose body is not whole yet. */
interface Begun {
  readonly head: RequestHead;
  readonly place: ExchangePlace;
  /** Where the body begins. */
  readonly from: number;
}

/** Whoever took a connection, and hears what becomes of it. */
export interface ConnectionHost {
  readonly clock: Clock;
  readonly heads: AnswerHeads;
  readonly placeOf: PlaceOf;
  /** Every answer from now on is the last of its connection. */
  readonly isDraining: boolean;
  /** A connection has the beginning of a request. */
  waits(): void;
  /** Its answer is whole, and leaves with others of this turn. */
  leaves(connection: PlainConnection): void;
  /** Something came that is not read here: `node:http` goes on. */
  handOver(connection: PlainConnection, socket: Socket): void;
  closed(connection: PlainConnection): void;
}

/**
 * A client's connection for as long as plain requests come over it, one after the other. With the first byte of
 * anything else `node:http` gets it, and all that was read and not answered.
 */
export class PlainConnection implements AnswerLine {
  /** Monotonic milliseconds since when it waits: for a request, the rest of one, or its own end. */
  since: number;
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  #carrier: PlainCarrier | null = null;
  #begun: Begun | null = null;
  #isWaiting = false;
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

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.since = host.clock.monotonic();
    // A client that closes its sending side has left, as it has for node:http; what failed is known from 'close'.
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', ignore).on('close', this.#onClose);
  }

  /** It carries nothing, and all that was answered has left. */
  get isResting(): boolean {
    return this.#carrier === null && !this.#isWaiting && this.#socket.writableLength === 0;
  }

  /** It has the beginning of a request. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** From here on `node:http` reads, beginning with what is not answered yet. */
  handOver(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', ignore).off('close', this.#onClose);
    socket.pause();
    if (this.#size > 0) socket.unshift(this.#gathered());
    this.#host.handOver(this, socket);
    process.nextTick(() => socket.resume());
  }

  headOf(status: number, headers: readonly string[], framing: Framing): string {
    this.#isLast = this.#host.isDraining;
    return this.#host.heads.write(status, headers, framing, this.#isLast);
  }

  send(before: string, bytes: Buffer | null, after: string): boolean {
    const socket = this.#socket;
    if (bytes === null) return socket.write(before + after, 'latin1');
    if (bytes.length <= ONE_WRITE_BYTES)
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
    noteAuthenticated(this.#socket);
  }

  onDrain(callback: () => void): void {
    this.#socket.once('drain', callback);
  }

  finishWith(head: string, body: Buffer | null): void {
    this.#whole = { head, body };
    this.#host.leaves(this);
  }

  /** Sends the whole answer that waited for the others of its turn. */
  leave(): void {
    const whole = this.#whole;
    if (whole === null) return;
    this.#whole = null;
    this.send(whole.head, whole.body, '');
    this.finish(false);
  }

  finish(closing: boolean): void {
    this.#carrier = null;
    this.since = this.#host.clock.monotonic();
    if (this.#isLast) this.breakOff();
    else if (closing) {
      this.#isEnding = true;
      this.#socket.end();
    }
    // Sent ahead: whether it is plain or not is not worth a second look.
    else if (this.#size > 0) this.handOver();
  }

  breakOff(): void {
    this.#carrier = null;
    this.#isEnding = true;
    this.#socket.destroySoon();
  }

  #take(bytes: Buffer): void {
    if (this.#isEnding) return;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#carrier) {
      if (this.#size > AHEAD_BYTES) this.#socket.pause();
      return;
    }
    const begun = this.#begun ?? this.#begin();
    if (begun === null) return;
    const length = begun.from + begun.head.length;
    if (this.#size >= length) this.#exchange(begun, length);
    else this.#wait(begun);
  }

  /** Reads the head; null when it is not whole, or not ours to read. */
  #begin(): Begun | null {
    const bytes = this.#gathered();
    const end = bytes.indexOf(HEAD_END, 0, 'latin1');
    const isHead = end !== -1 && end <= HEAD_BYTES;
    const head = isHead ? readRequestHead(bytes.toString('latin1', 0, end)) : null;
    const place = head ? this.#host.placeOf(head.target) : undefined;
    if (head && place) return { head, place, from: end + HEAD_END.length };
    if (
      end === -1 &&
      bytes.length <= HEAD_BYTES &&
      METHOD.startsWith(bytes.toString('latin1', 0, METHOD.length))
    )
      this.#wait(null);
    else this.handOver();
    return null;
  }

  #wait(begun: Begun | null): void {
    this.#begun = begun;
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.since = this.#host.clock.monotonic();
    this.#host.waits();
  }

  #exchange(begun: Begun, length: number): void {
    const bytes = this.#gathered();
    this.#keep(bytes, length);
    this.#isLast = false;
    this.#ask(begun, bytes.subarray(begun.from, length));
  }

  /** What of `bytes` comes behind the first `length`, and no request under way. */
  #keep(bytes: Buffer | null, length: number): void {
    this.#begun = null;
    this.#isWaiting = false;
    this.#size = (bytes?.length ?? 0) - length;
    this.#pieces = bytes && this.#size > 0 ? [bytes.subarray(length)] : [];
  }

  /** `body` is null when it never became whole. */
  #ask({ head, place }: Begun, body: Buffer | null): void {
    const carrier = new PlainCarrier(this, place.path, head, body);
    this.#carrier = carrier;
    place.answer(new Client(newId('exc', this.#host.clock.now()), carrier));
  }

  #gathered(): Buffer {
    const [first] = this.#pieces;
    const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [bytes];
    return bytes;
  }

  #closed(): void {
    this.#host.closed(this);
    // Who leaves within a request has asked all the same: it is accounted for.
    const begun = this.#begun;
    this.#whole = null;
    this.#keep(null, 0);
    if (begun) this.#ask(begun, null);
    const carrier = this.#carrier;
    this.#carrier = null;
    carrier?.closed();
  }
}

function ignore(): void {
  // 'close' follows.
}

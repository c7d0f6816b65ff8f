import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.ts';
import { AnswerHeads, KEEP_ALIVE_S } from './answer-head.ts';
import type { PlaceOf } from './exchange-place.ts';
import { type ConnectionHost, PlainConnection } from './plain-connection.ts';

/** How long the rest of a request may take before `node:http` waits for it. */
const REST_OF_REQUEST_MS = 50;
/** A client may believe the last answer a little longer than it said. */
const MOST_REST_MS = (KEEP_ALIVE_S + 1) * 1000;

/**
 * The short way in (decisions/0106): requests of the one shape nearly all have are read here, whole, before anything is
 * made for them; with anything else the connection goes to `node:http`.
 */
export class PlainDoor implements ConnectionHost {
  readonly clock: Clock;
  readonly heads: AnswerHeads;
  readonly placeOf: PlaceOf;
  isDraining = false;
  readonly #serve: (socket: Socket) => void;
  readonly #lookMs: number;
  readonly #open = new Set<PlainConnection>();
  #leaving: PlainConnection[] = [];
  #soon: Timer | null = null;
  #later: Timer | null = null;

  /** @param serve has `node:http` serve a connection */
  constructor(placeOf: PlaceOf, serve: (socket: Socket) => void, clock: Clock, lookMs: number) {
    this.placeOf = placeOf;
    this.clock = clock;
    this.heads = new AnswerHeads(clock);
    this.#serve = serve;
    this.#lookMs = lookMs;
  }

  take(socket: Socket): void {
    this.#open.add(new PlainConnection(socket, this));
    const look = () => this.#look();
    this.#later ??= this.clock.after(this.#lookMs, look);
  }

  /** A connection has the beginning of a request: looked at soon. */
  waits(): void {
    const look = () => this.#handOverLate();
    this.#soon ??= this.clock.after(REST_OF_REQUEST_MS, look);
  }

  /** Answers that are whole in one turn leave one right after the other: whoever reads them is woken once. */
  leaves(connection: PlainConnection): void {
    if (this.#leaving.push(connection) > 1) return;
    const leave = () => {
      const leaving = this.#leaving;
      this.#leaving = [];
      for (const each of leaving) each.leave();
    };
    process.nextTick(leave);
  }

  handOver(connection: PlainConnection, socket: Socket): void {
    this.closed(connection);
    this.#serve(socket);
  }

  closed(connection: PlainConnection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.#soon?.cancel();
    this.#later?.cancel();
    this.#soon = this.#later = null;
  }

  /** Ends connections that carry nothing. */
  closeIdle(): void {
    for (const connection of this.#open) if (connection.isResting) connection.close();
  }

  closeAll(): void {
    for (const connection of this.#open) connection.close();
  }

  #handOverLate(): void {
    this.#soon = null;
    const before = this.clock.monotonic() - REST_OF_REQUEST_MS;
    let isOneWaiting = false;
    for (const connection of this.#open) {
      if (!connection.isWaiting) continue;
      if (connection.since <= before) connection.handOver();
      else isOneWaiting = true;
    }
    if (isOneWaiting) this.waits();
  }

  #look(): void {
    this.#later = null;
    const now = this.clock.monotonic();
    for (const connection of this.#open) {
      if (connection.isWaiting) continue;
      // Who reads an answer slowly begins to rest once all of it has left.
      if (!connection.isResting) connection.since = now;
      else if (now - connection.since > MOST_REST_MS) connection.close();
    }
    const look = () => this.#look();
    if (this.#open.size > 0) this.#later ??= this.clock.after(this.#lookMs, look);
  }
}

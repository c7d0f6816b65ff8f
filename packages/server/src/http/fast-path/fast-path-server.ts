import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.ts';
import { AnswerHeadWriter, KEEP_ALIVE_S } from './answer-head-writer.ts';
import type { FindExchangeRoute } from './exchange-route.ts';
import { FastPathConnection, type FastPathConnectionHost } from './fast-path-connection.ts';

/** How long the rest of a request may take before `node:http` waits for it. */
const MAX_REQUEST_WAIT_MS = 50;
/** A client may believe the last answer a little longer than it said. */
const MAX_IDLE_MS = (KEEP_ALIVE_S + 1) * 1000;

/**
 * The short way in (decisions/0106): requests of the one shape nearly all have are read here, whole, before anything is
 * made for them; with anything else the connection goes to `node:http`.
 */
export class FastPathServer implements FastPathConnectionHost {
  readonly clock: Clock;
  readonly headWriter: AnswerHeadWriter;
  readonly findExchangeRoute: FindExchangeRoute;
  isDraining = false;
  readonly #serve: (socket: Socket) => void;
  readonly #lookMs: number;
  readonly #open = new Set<FastPathConnection>();
  #leaving: FastPathConnection[] = [];
  #soon: Timer | null = null;
  #later: Timer | null = null;

  /** @param serve has `node:http` serve a connection */
  constructor(
    findExchangeRoute: FindExchangeRoute,
    serve: (socket: Socket) => void,
    clock: Clock,
    lookMs: number,
  ) {
    this.findExchangeRoute = findExchangeRoute;
    this.clock = clock;
    this.headWriter = new AnswerHeadWriter(clock);
    this.#serve = serve;
    this.#lookMs = lookMs;
  }

  accept(socket: Socket): void {
    this.#open.add(new FastPathConnection(socket, this));
    const look = () => this.#look();
    this.#later ??= this.clock.after(this.#lookMs, look);
  }

  /** A connection has the beginning of a request: looked at soon. */
  scheduleWaitCheck(): void {
    const look = () => this.#handOverLate();
    this.#soon ??= this.clock.after(MAX_REQUEST_WAIT_MS, look);
  }

  /** Answers that are whole in one turn leave one right after the other: whoever reads them is woken once. */
  scheduleAnswer(connection: FastPathConnection): void {
    if (this.#leaving.push(connection) > 1) return;
    const leave = () => {
      const leaving = this.#leaving;
      this.#leaving = [];
      for (const each of leaving) each.sendQueuedAnswer();
    };
    process.nextTick(leave);
  }

  handOff(connection: FastPathConnection, socket: Socket): void {
    this.onConnectionClosed(connection);
    this.#serve(socket);
  }

  onConnectionClosed(connection: FastPathConnection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.#soon?.cancel();
    this.#later?.cancel();
    this.#soon = this.#later = null;
  }

  /** Closes connections without a request for `idleMs`: on a newer one a request may be on its way. */
  closeIdle(idleMs: number): void {
    const before = this.clock.monotonic() - idleMs;
    for (const connection of this.#open)
      if (connection.isIdle && connection.waitingSince <= before) connection.close();
  }

  closeAll(): void {
    for (const connection of this.#open) connection.close();
  }

  #handOverLate(): void {
    this.#soon = null;
    const before = this.clock.monotonic() - MAX_REQUEST_WAIT_MS;
    let isOneWaiting = false;
    for (const connection of this.#open) {
      if (!connection.isAwaitingRequest) continue;
      if (connection.waitingSince <= before) connection.handOff();
      else isOneWaiting = true;
    }
    if (isOneWaiting) this.scheduleWaitCheck();
  }

  #look(): void {
    this.#later = null;
    const now = this.clock.monotonic();
    for (const connection of this.#open) {
      if (connection.isAwaitingRequest) continue;
      // Who reads an answer slowly begins to rest once all of it has left.
      if (!connection.isIdle) connection.waitingSince = now;
      else if (now - connection.waitingSince > MAX_IDLE_MS) connection.close();
    }
    const look = () => this.#look();
    if (this.#open.size > 0) this.#later ??= this.clock.after(this.#lookMs, look);
  }
}

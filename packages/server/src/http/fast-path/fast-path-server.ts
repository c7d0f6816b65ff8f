import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.ts';
import type { FindExchangeRoute } from './exchange-route.ts';
import { FastPathConnection, type FastPathConnectionOwner } from './fast-path-connection.ts';
import { KEEP_ALIVE_SECONDS, ResponseHeadWriter } from './response-head-writer.ts';

/** How long the rest of a request may take before `node:http` handles the connection. */
const MAX_REQUEST_WAIT_MS = 50;
/**
 * One second longer than responses announce, so that a client does not use a connection that is being closed.
 */
const MAX_IDLE_MS = (KEEP_ALIVE_SECONDS + 1) * 1000;

/**
 * Serves the most common form of requests (decisions/0106). Reads a request completely before it
 * creates any object for it. Connections with other requests are handed over to `node:http`.
 */
export class FastPathServer implements FastPathConnectionOwner {
  readonly clock: Clock;
  readonly headWriter: ResponseHeadWriter;
  readonly findExchangeRoute: FindExchangeRoute;
  isDraining = false;
  readonly #serve: (socket: Socket) => void;
  readonly #lookMs: number;
  readonly #open = new Set<FastPathConnection>();
  #leaving: FastPathConnection[] = [];
  #soon: Timer | null = null;
  #later: Timer | null = null;

  /** @param serve hands a connection to `node:http` */
  constructor(
    findExchangeRoute: FindExchangeRoute,
    serve: (socket: Socket) => void,
    clock: Clock,
    lookMs: number,
  ) {
    this.findExchangeRoute = findExchangeRoute;
    this.clock = clock;
    this.headWriter = new ResponseHeadWriter(clock);
    this.#serve = serve;
    this.#lookMs = lookMs;
  }

  accept(socket: Socket): void {
    this.#open.add(new FastPathConnection(socket, this));
    const look = () => this.#look();
    this.#later ??= this.clock.after(this.#lookMs, look);
  }

  /** Schedules a check of connections that have received only the beginning of a request. */
  scheduleWaitCheck(): void {
    const look = () => this.#handOverLate();
    this.#soon ??= this.clock.after(MAX_REQUEST_WAIT_MS, look);
  }

  /**
   * Sends all responses of one turn directly after each other, so that a client that reads them wakes up
   * once.
   */
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

  /** Closes connections that have been idle for `idleMs`. A request may be in transit on a newer one. */
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
      // The idle time of a slow reader starts when the whole response is sent.
      if (!connection.isIdle) connection.waitingSince = now;
      else if (now - connection.waitingSince > MAX_IDLE_MS) connection.close();
    }
    const look = () => this.#look();
    if (this.#open.size > 0) this.#later ??= this.clock.after(this.#lookMs, look);
  }
}

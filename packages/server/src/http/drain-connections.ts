import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { FastPathServer } from './fast-path/fast-path-server.ts';

const SWEEP_MS = 50;
/** A connection that was accepted or answered within this time can carry a request that has not arrived yet. */
const IDLE_MS = 1_000;
/** The listener closes after this many turns of the event loop without a new connection. */
const QUIET_TURNS = 3;
const MAX_TURNS = 1_000;

/**
 * Tracks the unfinished responses of `node:http`, and decides what happens to their connections
 * during a shutdown.
 */
export class UnfinishedResponses {
  readonly #open = new Map<ServerResponse, Duplex>();
  /** The newest response of each connection. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>();
  readonly #hasHeldInput: (socket: Duplex) => boolean;
  #isClosing = false;

  /** @param hasHeldInput returns whether a connection has received input after its current request */
  constructor(hasHeldInput: (socket: Duplex) => boolean) {
    this.#hasHeldInput = hasHeldInput;
  }

  /** Whether every connection is closed after its current response. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  latest(socket: Duplex): ServerResponse | undefined {
    return this.#latest.get(socket);
  }

  track(socket: Duplex, response: ServerResponse): void {
    this.#latest.set(socket, response);
    this.#open.set(response, socket);
    response.once('close', () => this.#open.delete(response));
    if (this.#isClosing) response.shouldKeepAlive = false;
  }

  /**
   * Closes each connection after its current response. If the head of the response was not sent yet, its
   * headers announce this.
   */
  announceClose(): void {
    this.#isClosing = true;
    for (const [response, socket] of this.#open) {
      if (response.headersSent) this.#closeAfter(response, socket);
      else response.shouldKeepAlive = false;
    }
  }

  /**
   * The sent header states that the connection stays open. Closing the connection directly after the last byte
   * leaves the client the least time to send another request.
   */
  #closeAfter(response: ServerResponse, socket: Duplex): void {
    response.once('finish', () => {
      // The header said that the connection stays open, so a request that has arrived gets a response.
      if (socket instanceof Socket && !this.#hasHeldInput(socket)) socket.destroySoon();
    });
  }
}

/**
 * Stops accepting connections, and resolves when all connections are closed. Each connection is closed
 * when it becomes idle. After `limitMs`, all remaining connections are closed immediately.
 */
export async function drainConnections(
  { server, fastPath }: { readonly server: Server; readonly fastPath: FastPathServer },
  limitMs: number,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  await acceptPendingConnections(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let sweeping: Timer | undefined;
  const sweep = () => {
    server.closeIdleConnections();
    fastPath.closeIdle(IDLE_MS);
    sweeping = clock.after(SWEEP_MS, sweep);
  };
  sweep();
  const timer = clock.after(limitMs, () => {
    log.warn(
      { limit_ms: limitMs },
      'drain period ended with requests in progress; closing their connections',
    );
    server.closeAllConnections();
    fastPath.closeAll();
  });
  await closed;
  timer.cancel();
  sweeping?.cancel();
}

/** Closing a listener resets the connections that the kernel has established and the process has not accepted. */
async function acceptPendingConnections(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let turn = 0, quiet = 0; turn < MAX_TURNS && quiet < QUIET_TURNS; turn += 1) {
    const before = accepted;
    // Resumes right after the event loop has accepted what was pending.
    await setImmediate();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}

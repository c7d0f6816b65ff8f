import type { Socket } from 'node:net';
import { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { probeOpenFiles, readOpenFileLimit } from '../core/open-file-limit.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import { getUrlPath, resolveErrorFormatForPath, resolveSurfaceForPath } from './listener-surfaces.ts';
import { type ListenerHandler, rejectRequest } from './server.ts';

/** Interval between checks while no connections arrive. */
const CHECK_INTERVAL_MS = 1_000;
/**
 * While connections arrive, a check covers at most this time, this number of connections, and this share of the limit.
 */
const MAX_AGE_MS = 100;
const MAX_CONNECTIONS = 16;
const MAX_CHECK_SHARE = 0.01;
/** Share of the limit that new connections must leave for files, and for connections to providers and stores. */
const RESERVED_SHARE = 0.1;
/** Share of the limit, and number of connections, that restricted connections may use. */
const RESTRICTED_SHARE = 0.05;
const MAX_RESTRICTED = 64;

const MESSAGES = {
  failed:
    'process has almost reached its open file limit and rejects requests on new connections; increase the limit, for example with LimitNOFILE in systemd, with ulimits in Compose, or with ulimit -n in a shell, and then restart Floe',
  recovered: 'process accepts requests on new connections again, because it has fewer open files',
} as const;

const OPEN_FILES_FAULT = new Fault(
  'overloaded',
  'Floe is overloaded: it has almost reached its limit of open connections and files. Retry the request.',
  { retryAfterMs: 1_000 },
);

interface OpenFileMonitorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limit?: number | null;
  readonly probe?: () => number;
}

/**
 * Restricts new connections before the process runs out of file descriptors: they serve only one request, and only
 * health checks and sign-in, so that orchestrators do not restart an overloaded process. Without the monitor, Node.js
 * would close connections without a log line, and no file and no connection to a provider could be opened.
 */
export class OpenFileMonitor {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #probe: () => number;
  readonly #failure: RepeatedFailureLog;
  readonly #maxUnchecked: number;
  readonly #maxRestricted: number;
  /** The open connections that are restricted, oldest first. */
  readonly #restricted = new Set<Socket>();
  #hasCapacity = true;
  #connections = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;

  constructor({ clock, log, limit = readOpenFileLimit(), probe = probeOpenFiles }: OpenFileMonitorOptions) {
    this.#clock = clock;
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#probe = probe;
    this.#maxUnchecked = Math.min(MAX_CONNECTIONS, this.#limit * MAX_CHECK_SHARE);
    this.#maxRestricted = Math.min(MAX_RESTRICTED, Math.ceil(this.#limit * RESTRICTED_SHARE));
    this.#failure = new RepeatedFailureLog(log, clock, MESSAGES);
  }

  /** Starts to check regularly, so that a shortage is logged even if no connection can be accepted. */
  start(): void {
    this.#timer = this.#clock.after(CHECK_INTERVAL_MS, () => {
      this.#check();
      this.start();
    });
  }

  close(): void {
    this.#timer?.cancel();
  }

  /**
   * Counts a new connection. Returns whether it may serve all requests. If there are too many restricted connections,
   * closes the oldest one, so that clients that send nothing cannot keep health checks out.
   */
  admit(socket: Socket): boolean {
    this.#connections += 1;
    const isOld = this.#clock.monotonic() - this.#checkedAt >= MAX_AGE_MS;
    if (isOld || this.#connections >= this.#maxUnchecked) this.#check();
    if (this.#hasCapacity) return true;
    this.#restricted.add(socket);
    socket.once('close', () => this.#restricted.delete(socket));
    if (this.#restricted.size > this.#maxRestricted)
      for (const oldest of this.#restricted) {
        this.#restricted.delete(oldest);
        oldest.destroy();
        break;
      }
    return false;
  }

  /** Returns a handler that rejects requests on restricted connections, except health checks and sign-in. */
  restrict(next: ListenerHandler): ListenerHandler {
    return {
      onRequest: (req, res, requestId) => {
        if (this.#hasCapacity) this.#restricted.delete(req.socket);
        if (!this.#restricted.has(req.socket)) return next.onRequest(req, res, requestId);
        const path = getUrlPath(req.url ?? '/');
        res.shouldKeepAlive = false;
        if (isEssential(path)) return next.onRequest(req, res, requestId);
        rejectRequest(res, requestId, OPEN_FILES_FAULT, resolveErrorFormatForPath(path));
      },
      findExchangeRoute: (target) => next.findExchangeRoute(target),
    };
  }

  #check(): void {
    this.#connections = 0;
    this.#checkedAt = this.#clock.monotonic();
    const openFiles = this.#probe();
    this.#hasCapacity =
      openFiles <= this.#limit * (1 - RESERVED_SHARE) && openFiles !== Number.POSITIVE_INFINITY;
    if (this.#hasCapacity) return this.#failure.succeed();
    const count = openFiles === Number.POSITIVE_INFINITY ? 'all' : openFiles;
    this.#failure.fail(new Error(`open files: ${count} of ${this.#limit}`));
  }
}

function isEssential(path: string): boolean {
  return (
    resolveSurfaceForPath(path) === 'health' || path === '/api/session' || path.startsWith('/api/session/')
  );
}

import { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { probeOpenFiles, readOpenFileLimit } from '../core/open-file-limit.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';

/** Interval between checks without new connections. */
const CHECK_INTERVAL_MS = 1_000;
/** While connections arrive, a check covers at most this time, and this number of connections. */
const MAX_AGE_MS = 100;
const MAX_CONNECTIONS = 16;
/** Share of the limit that new connections must leave for files, and for connections to providers and stores. */
const RESERVED_SHARE = 0.1;

const MESSAGES = {
  failed:
    'process has almost reached its limit of open files and rejects new connections; increase the limit, for example with LimitNOFILE in systemd, with ulimits in Compose, or with ulimit -n in a shell, and then restart Floe',
  recovered: 'process accepts connections again, because it has fewer open files',
} as const;

/** The fault of a connection that is rejected. */
export const OPEN_FILES_FAULT = new Fault(
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
 * Rejects new connections before the process runs out of file descriptors. Without it, Node.js would close connections
 * without a log line, and no file and no connection to a provider could be opened.
 */
export class OpenFileMonitor {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #probe: () => number;
  readonly #failure: RepeatedFailureLog;
  #hasCapacity = true;
  #connections = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;

  constructor({ clock, log, limit = readOpenFileLimit(), probe = probeOpenFiles }: OpenFileMonitorOptions) {
    this.#clock = clock;
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#probe = probe;
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

  /** Counts a new connection. Returns whether it can be served. */
  admit(): boolean {
    this.#connections += 1;
    const isOld = this.#clock.monotonic() - this.#checkedAt >= MAX_AGE_MS;
    if (isOld || this.#connections >= MAX_CONNECTIONS) this.#check();
    return this.#hasCapacity;
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

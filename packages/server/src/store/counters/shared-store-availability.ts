import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { RepeatedFailureLog } from '../../core/repeated-failure-log.ts';
import { CounterRejection } from './counter-rejection.ts';
import type { ReplicaPosition } from './replica-position.ts';

/**
 * Number of failures in a row after which no request waits for the store. A failure counts only if its call
 * began after the previous failure was known, because a short stall fails many calls at once.
 */
const FAILURES_TO_OPEN = 3;
/** Wait before the first probe. Later probes run at most twice a second. */
const FIRST_PROBE_MS = 50;
const MAX_PROBE_MS = 500;
/** After a slow response, no request waits for the store a second time within this time. */
const SLOW_STORE_MS = 1_000;

export interface SharedStoreAvailabilityOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly replicaRank: () => ReplicaPosition;
  /** Probes the store and sends what it missed. Rejects while the store does not respond. */
  readonly recover: () => Promise<void>;
  /** Called when the store is back. */
  readonly onRecovered: () => void;
}

/**
 * Tracks whether requests should wait for the shared store. After several consecutive failures,
 * requests do not wait until a probe succeeds.
 */
export class SharedStoreAvailability {
  readonly #options: SharedStoreAvailabilityOptions;
  readonly #rejections: RepeatedFailureLog;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probe: Timer | null = null;
  #probeMs = FIRST_PROBE_MS;
  #closed = false;

  constructor(options: SharedStoreAvailabilityOptions) {
    this.#options = options;
    this.#rejections = new RepeatedFailureLog(options.log, options.clock, {
      failed:
        'shared store rejected a call because of the data in a counter; this process counted the request locally',
    });
  }

  get isUnavailable(): boolean {
    return this.#probe !== null;
  }

  /**
   * Whether the store is unavailable, or was slow within the last second and has not granted in time since.
   */
  get isSlow(): boolean {
    if (this.isUnavailable) return true;
    return this.#failures > 0 && this.#options.clock.monotonic() - this.#failedAt < SLOW_STORE_MS;
  }

  recordReply(): void {
    this.#failures = 0;
  }

  /**
   * A call that the store rejected because of the data in a counter is only logged, because calls for other counters
   * work.
   * @param began start of the failed call, in monotonic milliseconds
   */
  recordFailure(error: unknown, began: number): void {
    if (error instanceof CounterRejection) return this.#rejections.fail(error);
    if (began < this.#failedAt) return;
    this.#failedAt = this.#options.clock.monotonic();
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.isUnavailable || this.#closed) return;
    this.#options.log.error(
      { err: error, replicas: this.#options.replicaRank().replicaCount },
      'shared store does not respond; until it responds, this process counts requests and spending locally',
    );
    this.#probeMs = FIRST_PROBE_MS;
    this.#scheduleProbe();
  }

  close(): void {
    this.#closed = true;
    this.#probe?.cancel();
  }

  #scheduleProbe(): void {
    const probe = () => void this.#runProbe();
    this.#probe = this.#options.clock.after(this.#probeMs, probe);
    this.#probeMs = Math.min(MAX_PROBE_MS, this.#probeMs * 2);
  }

  async #runProbe(): Promise<void> {
    try {
      await this.#options.recover();
    } catch {
      if (!this.#closed) this.#scheduleProbe();
      return;
    }
    this.#probe = null;
    this.#failures = 0;
    this.#options.onRecovered();
    this.#options.log.warn(
      {},
      'shared store is available again; this process counts its requests and spending there instead of locally',
    );
  }
}

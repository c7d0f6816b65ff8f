import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ReplicaRank } from './replica-share.ts';

/**
 * Failures in a row after which nobody waits for it any more, each of a call that began after the one before was
 * known: a store that stood still for a moment fails many calls at once, and that is one failure.
 */
const FAILURES_TO_OPEN = 3;
/** A store that was slow for a moment is used again soon; one that stays away is asked twice a second. */
const FIRST_PROBE_MS = 50;
const MAX_PROBE_MS = 500;
/** So long after it was late nobody else waits for it a second time. */
const SLOW_STORE_MS = 1_000;

export interface StoreAvailabilityOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly replicaRank: () => ReplicaRank;
  /** Asks the store, and tells it what it missed; rejects while it does not answer. */
  readonly recover: () => Promise<void>;
  /** Called once it is back. */
  readonly onRecovered: () => void;
}

/** Whether the shared store is to be waited for: it is not after some failures in a row, until a probe succeeds. */
export class StoreAvailability {
  readonly #options: StoreAvailabilityOptions;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probe: Timer | null = null;
  #probeMs = FIRST_PROBE_MS;
  #closed = false;

  constructor(options: StoreAvailabilityOptions) {
    this.#options = options;
  }

  get isUnavailable(): boolean {
    return this.#probe !== null;
  }

  /** Whether it is away, or was late less than a second ago and has not granted in time since. */
  get isSlow(): boolean {
    if (this.isUnavailable) return true;
    return this.#failures > 0 && this.#options.clock.monotonic() - this.#failedAt < SLOW_STORE_MS;
  }

  recordReply(): void {
    this.#failures = 0;
  }

  /** `began`: monotonic milliseconds at which the call began that failed. */
  recordFailure(error: unknown, began: number): void {
    if (began < this.#failedAt) return;
    this.#failedAt = this.#options.clock.monotonic();
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.isUnavailable || this.#closed) return;
    this.#options.log.error(
      { err: error, replicas: this.#options.replicaRank().replicaCount },
      'shared store does not respond; this process counts limits and budgets locally until it does',
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
    this.#options.log.warn({}, 'shared store responds again; limits and budgets are counted there');
  }
}

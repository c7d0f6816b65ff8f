import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';

/**
 * Failures in a row after which nobody waits for it any more, each of a call that began after the one before was
 * known: a store that stood still for a moment fails many calls at once, and that is one failure.
 */
const FAILURES_TO_OPEN = 3;
/** A store that was slow for a moment is used again soon; one that stays away is asked twice a second. */
const FIRST_PROBE_MS = 50;
const LONGEST_PROBE_MS = 500;
/** So long after it was late nobody else waits for it a second time. */
const LATE_MS = 1_000;

export interface AvailabilityOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Processes that share the store, for the log. */
  readonly processes: () => number;
  /** Asks the store, and brings it up to date; rejects while it is away. */
  readonly probe: () => Promise<void>;
  readonly onBack: () => void;
}

/** Whether the shared store answers, judged by the calls that were made of it. */
export class StoreAvailability {
  readonly #options: AvailabilityOptions;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probe: Timer | null = null;
  #probeMs = FIRST_PROBE_MS;
  #closed = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  get away(): boolean {
    return this.#probe !== null;
  }

  /** Whether it is away, or was late less than a second ago and has not granted in time since. */
  get isLate(): boolean {
    if (this.away) return true;
    return this.#failures > 0 && this.#options.clock.monotonic() - this.#failedAt < LATE_MS;
  }

  answered(): void {
    this.#failures = 0;
  }

  /** A call that began at `began`, monotonic, was not answered in time or with an error. */
  failed(error: unknown, began: number): void {
    if (began < this.#failedAt) return;
    this.#failedAt = this.#options.clock.monotonic();
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.away || this.#closed) return;
    this.#options.log.error(
      { err: error, replicas: this.#options.processes() },
      'the shared store does not answer; limits are counted by this process alone until it does',
    );
    this.#probeMs = FIRST_PROBE_MS;
    this.#probeLater();
  }

  close(): void {
    this.#closed = true;
    this.#probe?.cancel();
  }

  #probeLater(): void {
    const probe = () => void this.#ask();
    this.#probe = this.#options.clock.after(this.#probeMs, probe);
    this.#probeMs = Math.min(LONGEST_PROBE_MS, this.#probeMs * 2);
  }

  async #ask(): Promise<void> {
    try {
      await this.#options.probe();
    } catch {
      if (!this.#closed) this.#probeLater();
      return;
    }
    this.#probe = null;
    this.#failures = 0;
    this.#options.onBack();
    this.#options.log.warn({}, 'the shared store answers again; limits are counted there');
  }
}

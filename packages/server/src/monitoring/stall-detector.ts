import type { Clock as SystemClock, Timer } from '../core/clock.ts';

const TICK_MS = 250;
/** A tick that comes later than this says that nothing ran meanwhile. */
const LATE_MS = 750;
/** Requests that waited in the socket are read within this time after a stall. */
const READ_WITHIN_MS = 2_000;

/**
 * Notices when this process did not run for a while although its socket took connections: the event loop was blocked, or
 * the process was stopped. What is read just after such a stall may have been received at any time during it.
 */
export class StallDetector {
  readonly #clock: Pick<SystemClock, 'monotonic' | 'after'>;
  /** No stall is longer: by then clients have given up. */
  readonly #longestMs: number;
  /** Null until the first tick: where timers do not run, nothing is known. */
  #tickedAt: number | null = null;
  #from = 0;
  #until = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;

  constructor(clock: Pick<SystemClock, 'monotonic' | 'after'>, longestMs: number) {
    this.#clock = clock;
    this.#longestMs = longestMs;
  }

  start(): void {
    this.#timer = this.#clock.after(TICK_MS, () => {
      this.#recordTick(this.#clock.monotonic());
      this.#tickedAt = this.#clock.monotonic();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** How many milliseconds ago something that is read now may have been received; 0 unless there was a stall. */
  maxReceiveDelayMs(): number {
    const now = this.#clock.monotonic();
    this.#recordTick(now);
    return now - this.#until < READ_WITHIN_MS ? Math.min(now - this.#from, this.#longestMs) : 0;
  }

  #recordTick(now: number): void {
    const at = this.#tickedAt;
    if (at === null || now - at <= TICK_MS + LATE_MS) return;
    // One that follows before the requests of the last one were read goes on with it.
    if (at - this.#until >= READ_WITHIN_MS) this.#from = at;
    this.#until = now;
    this.#tickedAt = now;
  }
}

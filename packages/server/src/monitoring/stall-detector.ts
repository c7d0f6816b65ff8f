import type { Clock as SystemClock, Timer } from '../core/clock.ts';

const TICK_MS = 250;
/** Delay of a tick that means that the process was blocked. */
const LATE_MS = 750;
/** Time after a stall within which requests that waited in the socket are read. */
const READ_WITHIN_MS = 2_000;

/**
 * Detects that this process did not run for some time, because its event loop was blocked or the process was
 * stopped. The operating system still accepted connections during the stall. Requests that are read directly
 * afterwards may therefore have arrived at any time during the stall.
 */
export class StallDetector {
  readonly #clock: Pick<SystemClock, 'monotonic' | 'after'>;
  /** Maximum length of a stall. After this time, clients have stopped waiting. */
  readonly #longestMs: number;
  /** When the last tick ran; null before the first one. Without ticks, stalls cannot be detected. */
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

  /**
   * Returns the maximum age of a request that is read now, in whole milliseconds. Returns 0 if there was no stall.
   */
  maxReceiveDelayMs(): number {
    const now = this.#clock.monotonic();
    this.#recordTick(now);
    return now - this.#until < READ_WITHIN_MS ? Math.min(Math.ceil(now - this.#from), this.#longestMs) : 0;
  }

  #recordTick(now: number): void {
    const at = this.#tickedAt;
    if (at === null || now - at <= TICK_MS + LATE_MS) return;
    // A stall that follows before the requests of the last one were read continues it.
    if (at - this.#until >= READ_WITHIN_MS) this.#from = at;
    this.#until = now;
    this.#tickedAt = now;
  }
}

import type { Clock } from '../../core/clock.ts';

const TICK_MS = 5;
const WINDOW_MS = 100;
/** With fewer ticks, one long task would look like a permanent delay. */
const MIN_TICKS_PER_WINDOW = 3;
/** The limit never falls below this number of exchanges, and fewer exchanges are not measured. */
const MIN_LIMIT = 16;
/** After a reduction, the exchanges above the limit have this time to end before the next one. */
const SETTLE_MS = 1_000;
const LARGEST_REDUCTION = 0.5;
const SMALLEST_REDUCTION = 0.9;
const INCREASE = 1.05;

/** What the limit measures and controls. */
export interface EventLoopLimitTarget {
  /** The number of exchanges in progress. */
  readonly used: number;
  readonly maximum: number;
  limit: number;
}

/**
 * Lowers a limit of concurrent exchanges while the event loop is delayed permanently, and raises it again
 * afterwards. The measure is the smallest delay of a timer in a window: one long task delays only some
 * timers, but a saturated event loop delays all of them (as the standing queue of CoDel, RFC 8289 section 3).
 * The reductions are multiplicative and the increases are small (AIMD), so that the limit stays near the
 * capacity of the process.
 */
export class EventLoopLimit {
  readonly #target: EventLoopLimitTarget;
  readonly #clock: Clock;
  readonly #maxDelayMs: number;
  #isRunning = false;
  #dueAt = 0;
  #windowStart = 0;
  #ticks = 0;
  #smallestDelayMs = Number.POSITIVE_INFINITY;
  #reducedAt = Number.NEGATIVE_INFINITY;

  /** @param maxDelayMs the permitted delay of the event loop in milliseconds; 0 disables the limit */
  constructor(target: EventLoopLimitTarget, clock: Clock, maxDelayMs: number) {
    this.#target = target;
    this.#clock = clock;
    this.#maxDelayMs = maxDelayMs;
  }

  /** Starts to measure if enough exchanges are in progress. Call it after each admission. */
  start(): void {
    if (this.#isRunning || this.#maxDelayMs === 0 || this.#target.used < MIN_LIMIT) return;
    this.#isRunning = true;
    this.#startWindow(this.#clock.monotonic());
    this.#schedule();
  }

  #schedule(): void {
    this.#dueAt = this.#clock.monotonic() + TICK_MS;
    this.#clock.after(TICK_MS, () => this.#tick());
  }

  #startWindow(nowMs: number): void {
    this.#windowStart = nowMs;
    this.#ticks = 0;
    this.#smallestDelayMs = Number.POSITIVE_INFINITY;
  }

  #tick(): void {
    const nowMs = this.#clock.monotonic();
    this.#ticks += 1;
    this.#smallestDelayMs = Math.min(this.#smallestDelayMs, Math.max(0, nowMs - this.#dueAt));
    if (this.#ticks >= MIN_TICKS_PER_WINDOW && nowMs - this.#windowStart >= WINDOW_MS) {
      this.#adjust(this.#smallestDelayMs, nowMs);
      this.#startWindow(nowMs);
    }
    const { used, limit, maximum } = this.#target;
    this.#isRunning = used >= MIN_LIMIT || limit < maximum;
    if (this.#isRunning) this.#schedule();
  }

  #adjust(delayMs: number, nowMs: number): void {
    const target = this.#target;
    const { used, limit, maximum } = target;
    if (delayMs <= this.#maxDelayMs) {
      target.limit = Math.min(maximum, Math.ceil(limit * INCREASE));
      return;
    }
    // Exchanges that were admitted under a higher limit are still in progress.
    if (used > limit && nowMs - this.#reducedAt < SETTLE_MS) return;
    const factor = Math.min(SMALLEST_REDUCTION, Math.max(LARGEST_REDUCTION, this.#maxDelayMs / delayMs));
    target.limit = Math.max(MIN_LIMIT, Math.floor(Math.min(used, limit) * factor));
    this.#reducedAt = nowMs;
  }
}

import type { Clock, Timer } from '../../core/clock.ts';

const TICK_MS = 5;
const WINDOW_MS = 500;
/**
 * Minimum part of a window in which the event loop must be delayed. In a smaller part, the delay comes from
 * single long tasks.
 */
const DELAYED_FRACTION = 0.5;
/** Longer delays are ignored, because they mean that the machine was suspended. */
const SUSPENDED_MS = 10_000;
/** The lowest value of the limit, in exchanges. */
const MIN_LIMIT = 64;
/**
 * Number of exchanges per organization that are admitted even in a turn that takes too long. Without it, a
 * process that the operating system does not schedule would reject even a single request. It applies per
 * organization so that no organization can use every turn alone.
 */
const MIN_PER_TURN = 64;
/** Time for the exchanges above the limit to end before the limit is reduced again. */
const SETTLE_MS = 1_000;
const MIN_REDUCTION_FACTOR = 0.5;
const MAX_REDUCTION_FACTOR = 0.9;
const INCREASE = 1.1;

/** The counter of exchanges that `EventLoopLimiter` reads, and the limit that it sets. */
export interface AdjustableExchangeLimit {
  /** The number of exchanges in progress. */
  readonly used: number;
  readonly maximum: number;
  limit: number;
}

/**
 * Rejects exchanges while the event loop is persistently delayed. The delay is how late a timer fires,
 * because a new request has to wait as long. Requests that arrive together delay the event loop only once, so
 * two windows in a row must be delayed.
 * The limit reacts in two ways:
 * - Exchanges in progress, such as streams: reduces the limit of concurrent exchanges. Reductions depend on
 * the delay and increases are small, so that the limit stays near the capacity of the process.
 * - Requests that wait in the sockets: admits no further requests in a turn of the event loop that already
 * takes too long.
 */
export class EventLoopLimiter {
  readonly #target: AdjustableExchangeLimit;
  readonly #clock: Clock;
  readonly #maxDelayMs: number;
  #timer: Timer | null = null;
  #dueAt = 0;
  #windowStart = 0;
  #hasAdmissions = false;
  /** Admissions since the last tick, by organization, while the event loop is saturated. */
  readonly #admittedThisTurn = new Map<string, number>();
  /** The sum and the number of the delays in this window that were too long. */
  #delayedMs = 0;
  #delays = 0;
  #wasDelayed = false;
  #isSaturated = false;
  #reducedAt = Number.NEGATIVE_INFINITY;

  /** @param maxDelayMs the permitted delay of the event loop in milliseconds; 0 disables the limit */
  constructor(target: AdjustableExchangeLimit, clock: Clock, maxDelayMs: number) {
    this.#target = target;
    this.#clock = clock;
    this.#maxDelayMs = maxDelayMs;
  }

  /** Whether the event loop has been delayed persistently. */
  get isSaturated(): boolean {
    return this.#isSaturated;
  }

  /**
   * Returns whether this turn of the event loop may admit an exchange of an organization. Starts the
   * measurement if it is not running.
   */
  admitsNow(orgId: string): boolean {
    if (this.#maxDelayMs === 0) return true;
    this.#hasAdmissions = true;
    if (this.#timer === null) {
      this.#startWindow(this.#clock.monotonic());
      this.#schedule();
    }
    if (!this.#isSaturated) return true;
    const count = this.#admittedThisTurn.get(orgId) ?? 0;
    if (count >= MIN_PER_TURN && this.#clock.monotonic() - this.#dueAt > this.#maxDelayMs) return false;
    this.#admittedThisTurn.set(orgId, count + 1);
    return true;
  }

  #schedule(): void {
    this.#dueAt = this.#clock.monotonic() + TICK_MS;
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick());
  }

  #startWindow(nowMs: number): void {
    this.#windowStart = nowMs;
    this.#hasAdmissions = false;
    this.#delayedMs = 0;
    this.#delays = 0;
  }

  #tick(): void {
    this.#admittedThisTurn.clear();
    const nowMs = this.#clock.monotonic();
    const delayMs = nowMs - this.#dueAt;
    if (delayMs > SUSPENDED_MS) this.#startWindow(nowMs);
    else if (delayMs > this.#maxDelayMs) {
      this.#delayedMs += delayMs;
      this.#delays += 1;
    }
    if (nowMs - this.#windowStart >= WINDOW_MS) {
      this.#adjust(nowMs);
      const { limit, maximum } = this.#target;
      if (!this.#hasAdmissions && !this.#wasDelayed && limit === maximum) {
        this.#timer = null;
        return;
      }
      this.#startWindow(nowMs);
    }
    this.#schedule();
  }

  #adjust(nowMs: number): void {
    const target = this.#target;
    const { used, limit, maximum } = target;
    const isDelayed = this.#delayedMs > DELAYED_FRACTION * (nowMs - this.#windowStart);
    this.#isSaturated = isDelayed && this.#wasDelayed;
    this.#wasDelayed = isDelayed;
    if (!isDelayed) {
      // With few exchanges, nothing is known about the capacity, so there is no reason for a limit.
      // The exchanges in progress did not delay it.
      target.limit =
        used < limit / 2 ? maximum : Math.min(maximum, Math.max(used, Math.ceil(limit * INCREASE)));
      return;
    }
    // Exchanges that were admitted under a higher limit are still in progress.
    if (!this.#isSaturated || (used > limit && nowMs - this.#reducedAt < SETTLE_MS)) return;
    const averageMs = this.#delayedMs / this.#delays;
    const factor = Math.min(
      MAX_REDUCTION_FACTOR,
      Math.max(MIN_REDUCTION_FACTOR, this.#maxDelayMs / averageMs),
    );
    target.limit = Math.min(maximum, Math.max(MIN_LIMIT, Math.floor(Math.min(used, limit) * factor)));
    this.#reducedAt = nowMs;
  }
}

import type { Clock, Timer } from '../../core/clock.ts';

const TICK_MS = 5;
const WINDOW_MS = 500;
/** The part of a window that must be delayed. Otherwise, single long tasks are the reason. */
const DELAYED_FRACTION = 0.5;
/** A longer delay means that the machine was suspended. It says nothing about the load. */
const SUSPENDED_MS = 10_000;
/** The limit never falls below this number of exchanges. */
const MIN_LIMIT = 64;
/**
 * A turn that takes too long still admits this number of exchanges of each organization. Otherwise, a process that the
 * operating system does not schedule would reject even the only request, and one organization could use every turn.
 */
const MIN_PER_TURN = 64;
/** After a reduction, the exchanges above the limit have this time to end before the next one. */
const SETTLE_MS = 1_000;
const MIN_REDUCTION_FACTOR = 0.5;
const MAX_REDUCTION_FACTOR = 0.9;
const INCREASE = 1.1;

/** What the limit measures and controls. */
export interface EventLoopLimitTarget {
  /** The number of exchanges in progress. */
  readonly used: number;
  readonly maximum: number;
  limit: number;
}

/**
 * Rejects exchanges while the event loop is persistently delayed. It measures the part of the time in which a new
 * request waits too long: how late a timer is. Requests that arrive together delay the event loop only once, so
 * two windows in a row must be delayed. There are two reactions, because work can be in two places:
 *
 * - Exchanges in progress, such as streams: a lower limit of concurrent exchanges. The reductions depend on the
 *   delay and the increases are small, so that the limit stays near the capacity of the process.
 * - Requests that wait in the sockets: a turn of the event loop that already takes too long admits no further ones.
 */
export class EventLoopLimit {
  readonly #target: EventLoopLimitTarget;
  readonly #clock: Clock;
  readonly #maxDelayMs: number;
  #timer: Timer | null = null;
  #dueAt = 0;
  #windowStart = 0;
  #hasAdmissions = false;
  /** Admissions since the last tick, by organization, while the event loop is saturated. */
  readonly #admittedThisTurn = new Map<string, number>();
  /** The sum and number of the delays in this window that were too long. */
  #delayedMs = 0;
  #delays = 0;
  #wasDelayed = false;
  #isSaturated = false;
  #reducedAt = Number.NEGATIVE_INFINITY;

  /** @param maxDelayMs the permitted delay of the event loop in milliseconds; 0 disables the limit */
  constructor(target: EventLoopLimitTarget, clock: Clock, maxDelayMs: number) {
    this.#target = target;
    this.#clock = clock;
    this.#maxDelayMs = maxDelayMs;
  }

  /** Whether the event loop is persistently delayed. */
  get isSaturated(): boolean {
    return this.#isSaturated;
  }

  /** Returns whether this turn of the event loop may admit an exchange of an organization. Starts the measurement. */
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

/** Upper limit of an estimate. */
const MAX_ESTIMATE_MS = 10_000;
const MIN_ESTIMATE_MS = 50;
/** Refusals within this time share one estimate. */
const ESTIMATE_TTL_MS = 100;
/** Weight of a new duration in the mean. */
const MEAN_WEIGHT = 1 / 8;

/**
 * Estimates, from recent durations, when the next exchange releases its concurrency slot or
 * reservation.
 */
export class ReleaseEstimator {
  #meanMs = 0;
  #estimatedAt = Number.NEGATIVE_INFINITY;
  #ms = 0;

  /** Mean recent duration in milliseconds. 0 if no holder has released. */
  get meanMs(): number {
    return this.#meanMs;
  }

  /** Records a duration. */
  record(heldMs: number): void {
    this.#meanMs += (heldMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : MEAN_WEIGHT);
  }

  /**
   * Returns the estimated milliseconds until the next release: the time until the first holder that is not
   * overdue has held for the mean duration. If all holders are overdue, assumes that each takes twice its current
   * delay. `each` visits the start times of the holders. The Lua script computes the same estimate.
   */
  msUntilRelease(nowMs: number, each: (visit: (since: number) => void) => void): number {
    if (nowMs - this.#estimatedAt < ESTIMATE_TTL_MS) return this.#ms;
    let next = Number.POSITIVE_INFINITY;
    let leastOverdue = Number.POSITIVE_INFINITY;
    each((since) => {
      const leftMs = this.#meanMs - (nowMs - since);
      if (leftMs > 0) next = Math.min(next, leftMs);
      else leastOverdue = Math.min(leastOverdue, -leftMs);
    });
    const ms = Number.isFinite(next) ? next : leastOverdue;
    this.#estimatedAt = nowMs;
    this.#ms = Math.min(MAX_ESTIMATE_MS, Math.max(MIN_ESTIMATE_MS, Math.ceil(ms)));
    return this.#ms;
  }
}

/** An estimate of when something held is released is never longer than this, nor shorter than the other. */
const MAX_ESTIMATE_MS = 10_000;
const MIN_ESTIMATE_MS = 50;
/** Refusals within this time share one look at what is held. */
const ESTIMATE_TTL_MS = 100;
/** Share of a new duration in the mean. */
const MEAN_WEIGHT = 1 / 8;

/** Estimates when the next of several holders releases what it holds, by how long holders held it recently. */
export class ReleaseEstimator {
  #meanMs = 0;
  #estimatedAt = Number.NEGATIVE_INFINITY;
  #ms = 0;

  /** How long a holder held recently, in milliseconds; 0 when none has released. */
  get meanMs(): number {
    return this.#meanMs;
  }

  /** Notes that a holder released after so long. */
  record(heldMs: number): void {
    this.#meanMs += (heldMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : MEAN_WEIGHT);
  }

  /**
   * Milliseconds until the first holder that is not overdue reaches the mean. When all are overdue, each lasts about as
   * much longer as it is overdue by now. `each` visits the times since which they hold. The Lua of a take does the same.
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

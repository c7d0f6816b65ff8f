import type { AcquireResult, BucketClaim } from '../ports.ts';

/** Buckets remembered at most; those that have room again go first. */
const MAX_BUCKETS = 10_000;

/**
 * Limits of requests that the shared store said to be full, and until when. A request stays in its window
 * whatever happens to the store, so the word of it is good for that time: who cannot hear it again need not guess.
 */
export class ExhaustedLimits {
  readonly #exhaustedUntil = new Map<string, number>();

  /** Remembers what a refusal of the store at `nowMs` says. */
  record(
    orgId: string,
    claims: readonly BucketClaim[],
    { refusedIndex, retryAfterMs, levels }: AcquireResult,
    nowMs: number,
  ): void {
    if (refusedIndex === null || retryAfterMs === null) return;
    const full = claims.filter(
      ({ kind, enforced, amount, limit }, index) =>
        kind !== 'spend' && enforced && (levels[index]?.used ?? 0) + amount > limit,
    );
    const [only] = full;
    // The time told is that of the last of several; tokens may be given back before theirs is over.
    if (full.length !== 1 || !only?.persistent) return;
    if (this.#exhaustedUntil.size >= MAX_BUCKETS) this.#evictExpired(nowMs);
    this.#exhaustedUntil.set(`${orgId}\n${only.bucket}`, nowMs + retryAfterMs);
  }

  /** Milliseconds until the first of these limits that is known to be full has room; null when none is. */
  msUntilAvailable(
    orgId: string,
    claims: readonly BucketClaim[],
    nowMs: number,
  ): { index: number; ms: number } | null {
    if (this.#exhaustedUntil.size === 0) return null;
    for (const [index, { bucket, persistent, outageMode }] of claims.entries()) {
      if (!persistent || outageMode !== 'local') continue;
      const key = `${orgId}\n${bucket}`;
      const ms = (this.#exhaustedUntil.get(key) ?? 0) - nowMs;
      if (ms > 0) return { index, ms };
      this.#exhaustedUntil.delete(key);
    }
    return null;
  }

  #evictExpired(nowMs: number): void {
    for (const [key, until] of this.#exhaustedUntil) if (until <= nowMs) this.#exhaustedUntil.delete(key);
    if (this.#exhaustedUntil.size >= MAX_BUCKETS) this.#exhaustedUntil.clear();
  }
}

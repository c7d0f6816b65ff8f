import type { AcquireResult, BucketClaim } from '../store-interfaces.ts';

/** Maximum number of buckets. Those with room again are removed first. */
const MAX_BUCKETS = 10_000;

/**
 * Stores which limits the shared store has reported as exhausted, and until when. A process can still use a
 * report after the store has become unavailable, because counted requests leave the window only as time
 * passes.
 */
export class ExhaustedLimitCache {
  readonly #exhaustedUntil = new Map<string, number>();

  /** Records a refusal of the store at `nowMs`. */
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
    // With several refusals, the reported time is that of the last one. Tokens may be released earlier.
    if (full.length !== 1 || !only?.persistent) return;
    if (this.#exhaustedUntil.size >= MAX_BUCKETS) this.#evictExpired(nowMs);
    this.#exhaustedUntil.set(`${orgId}\n${only.bucket}`, nowMs + retryAfterMs);
  }

  /**
   * Returns the milliseconds until the first exhausted limit among the claims has room. Returns null if none is
   * known to be exhausted.
   */
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

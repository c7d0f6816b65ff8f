import type { AcquireResult, BucketClaim } from '../ports.ts';
import { SlidingWindow } from './sliding-window.ts';

interface UnreportedBucket {
  readonly orgId: string;
  readonly claim: BucketClaim;
  readonly window: SlidingWindow;
}

/** Buckets remembered at most; a request of one that does not fit is one that the store never hears of. */
const MAX_BUCKETS = 10_000;

/**
 * Requests of the last minute that this process granted by itself and the shared store knows nothing of. It is
 * told of them when it answers again: what the fleet admits then is what is left of the limit.
 */
export class UnreportedGrants {
  readonly #buckets = new Map<string, UnreportedBucket>();

  record(orgId: string, claims: readonly BucketClaim[], { amounts }: AcquireResult, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    for (const [index, claim] of claims.entries()) {
      // Tokens are settled after the fact, money the database tells, and what goes on now is soon over.
      if (!claim.persistent || (amounts[index] ?? 0) === 0) continue;
      const key = `${orgId}\n${claim.bucket}`;
      let bucket = this.#buckets.get(key);
      if (!bucket) {
        if (this.#buckets.size >= MAX_BUCKETS) continue;
        bucket = { orgId, claim, window: new SlidingWindow() };
        this.#buckets.set(key, bucket);
      }
      bucket.window.add(second, claim.amount, second);
    }
  }

  /** Tells all of it by `tell`, one bucket after the other; what it throws leaves the rest for the next time. */
  async report(nowMs: number, send: (orgId: string, claim: BucketClaim) => Promise<unknown>): Promise<void> {
    const second = Math.floor(nowMs / 1000);
    for (const [key, { orgId, claim, window }] of this.#buckets) {
      const amount = window.used(second);
      this.#buckets.delete(key);
      if (amount === 0) continue;
      try {
        await send(orgId, { ...claim, amount, enforced: false });
      } catch (error) {
        // Told twice it would be counted twice, for a minute: better than not at all.
        this.#buckets.set(key, { orgId, claim, window });
        throw error;
      }
    }
  }

  get isEmpty(): boolean {
    return this.#buckets.size === 0;
  }
}

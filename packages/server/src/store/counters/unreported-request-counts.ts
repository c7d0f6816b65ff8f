import type { AcquireResult, BucketClaim } from '../store-interfaces.ts';
import { SlidingWindow } from './sliding-window.ts';

interface UnreportedBucket {
  readonly orgId: string;
  readonly claim: BucketClaim;
  readonly window: SlidingWindow;
}

/** Maximum number of buckets. Requests of further buckets are not reported to the store. */
const MAX_BUCKETS = 10_000;

/**
 * The requests of the last minute that this process granted without the shared store, and that the store has
 * not counted. The process reports them when the store responds again, so that all processes together stay
 * within the limit.
 */
export class UnreportedRequestCounts {
  readonly #buckets = new Map<string, UnreportedBucket>();

  record(orgId: string, claims: readonly BucketClaim[], { amounts }: AcquireResult, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    for (const [index, claim] of claims.entries()) {
      // Tokens are settled later, the database knows the money, and running exchanges end soon.
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

  /** Reports all buckets one by one with `send`. If it rejects, the rest is kept for the next time. */
  async report(nowMs: number, send: (orgId: string, claim: BucketClaim) => Promise<unknown>): Promise<void> {
    const second = Math.floor(nowMs / 1000);
    for (const [key, { orgId, claim, window }] of this.#buckets) {
      const amount = window.used(second);
      this.#buckets.delete(key);
      if (amount === 0) continue;
      try {
        await send(orgId, { ...claim, amount, enforced: false });
      } catch (error) {
        // If it is reported twice, it counts twice for a minute, which is better than not at all.
        this.#buckets.set(key, { orgId, claim, window });
        throw error;
      }
    }
  }

  get isEmpty(): boolean {
    return this.#buckets.size === 0;
  }
}

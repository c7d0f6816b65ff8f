import type { Claim, Taken } from '../ports.ts';
import { Window } from './window.ts';

interface Bucket {
  readonly orgId: string;
  readonly claim: Claim;
  readonly window: Window;
}

/** Buckets remembered at most; a request of one that does not fit is one that the store never hears of. */
const MOST_BUCKETS = 10_000;

/**
 * Requests of the last minute that this process granted by itself and the shared store knows nothing of. It is
 * told of them when it answers again: what the fleet admits then is what is left of the limit.
 */
export class Untold {
  readonly #buckets = new Map<string, Bucket>();

  note(orgId: string, claims: readonly Claim[], { amounts }: Taken, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    for (const [index, claim] of claims.entries()) {
      // Tokens are settled after the fact, money the database tells, and what goes on now is soon over.
      if (!claim.lasting || (amounts[index] ?? 0) === 0) continue;
      const key = `${orgId}\n${claim.bucket}`;
      let bucket = this.#buckets.get(key);
      if (!bucket) {
        if (this.#buckets.size >= MOST_BUCKETS) continue;
        bucket = { orgId, claim, window: new Window() };
        this.#buckets.set(key, bucket);
      }
      bucket.window.add(second, claim.amount, second);
    }
  }

  /** Tells all of it by `tell`, one bucket after the other; what it throws leaves the rest for the next time. */
  async settle(nowMs: number, tell: (orgId: string, claim: Claim) => Promise<unknown>): Promise<void> {
    const second = Math.floor(nowMs / 1000);
    for (const [key, { orgId, claim, window }] of this.#buckets) {
      const amount = window.used(second);
      this.#buckets.delete(key);
      if (amount === 0) continue;
      try {
        await tell(orgId, { ...claim, amount, enforced: false });
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

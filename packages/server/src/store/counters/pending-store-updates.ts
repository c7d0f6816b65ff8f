import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../ports.ts';
import type { RemoteCounters } from './redis-counters.ts';
import { UnreportedGrants } from './unreported-grants.ts';

/** Settlements kept for when it is back: some 20 seconds of a busy process. */
const MAX_PENDING_SETTLEMENTS = 20_000;

interface PendingSettlement {
  readonly orgId: string;
  readonly settlement: ReservationSettlement;
}

export interface PendingStoreUpdatesOptions {
  readonly remote: Pick<RemoteCounters, 'settle' | 'acquire'>;
  readonly clock: Clock;
  /** Rejects when the store does not answer in time. */
  readonly withTimeout: <T>(work: Promise<T>) => Promise<T>;
}

/** What the shared store has to be told when it answers again: settlements, and requests that were granted alone. */
export class PendingStoreUpdates {
  readonly #options: PendingStoreUpdatesOptions;
  readonly #unreportedGrants = new UnreportedGrants();
  #settlements: PendingSettlement[] = [];
  #flushing: Promise<void> | null = null;

  constructor(options: PendingStoreUpdatesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#settlements.length === 0 && this.#unreportedGrants.isEmpty;
  }

  enqueueSettlement(orgId: string, settlement: ReservationSettlement): void {
    if (this.#settlements.length < MAX_PENDING_SETTLEMENTS) this.#settlements.push({ orgId, settlement });
  }

  /** Notes what this process granted by itself. */
  recordLocalGrant(orgId: string, claims: readonly BucketClaim[], own: AcquireResult): void {
    this.#unreportedGrants.record(orgId, claims, own, this.#options.clock.monotonic());
  }

  /**
   * Tells the store all of it. One at a time: two that pay the same list would each strike off what the other has not
   * paid.
   *
   * @throws what the store throws; the rest is kept
   */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    const { remote, clock, withTimeout } = this.#options;
    let paid = 0;
    try {
      for (let owed = this.#settlements[0]; owed !== undefined; owed = this.#settlements[paid]) {
        await withTimeout(Promise.resolve(remote.settle(owed.orgId, owed.settlement)));
        paid += 1;
      }
    } finally {
      this.#settlements = this.#settlements.slice(paid);
    }
    await this.#unreportedGrants.report(clock.monotonic(), (orgId, claim) =>
      withTimeout(Promise.resolve(remote.acquire(orgId, `told_${randomUUID()}`, [claim]))),
    );
  }
}

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../store-interfaces.ts';
import type { SharedStoreCounters } from './redis-counters.ts';
import { UnreportedRequestCounts } from './unreported-request-counts.ts';

/** Number of settlements that are kept during an outage: about 20 seconds of a busy process. */
const MAX_PENDING_SETTLEMENTS = 20_000;

interface PendingSettlement {
  readonly orgId: string;
  readonly settlement: ReservationSettlement;
}

export interface SharedStoreUpdateQueueOptions {
  readonly remote: Pick<SharedStoreCounters, 'settle' | 'acquire'>;
  readonly clock: Clock;
  /** Rejects if the store does not respond in time. */
  readonly withTimeout: <T>(work: Promise<T>) => Promise<T>;
}

/**
 * Updates to send to the shared store after it was unavailable: settlements, and requests that this process
 * granted without the store.
 */
export class SharedStoreUpdateQueue {
  readonly #options: SharedStoreUpdateQueueOptions;
  readonly #unreportedGrants = new UnreportedRequestCounts();
  #settlements: PendingSettlement[] = [];
  #flushing: Promise<void> | null = null;

  constructor(options: SharedStoreUpdateQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#settlements.length === 0 && this.#unreportedGrants.isEmpty;
  }

  enqueueSettlement(orgId: string, settlement: ReservationSettlement): void {
    if (this.#settlements.length < MAX_PENDING_SETTLEMENTS) this.#settlements.push({ orgId, settlement });
  }

  /** Records a grant of this process alone. */
  recordLocalGrant(orgId: string, claims: readonly BucketClaim[], own: AcquireResult): void {
    this.#unreportedGrants.record(orgId, claims, own, this.#options.clock.monotonic());
  }

  /**
   * Sends all updates to the store. Only one call may run at a time, because two would send the same
   * updates.
   *
   * @throws the error of the store; the remaining updates are kept
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

import type { CoordinatorClient } from '../coordinator/coordinator-client.ts';
import type {
  AcquireResult,
  BucketClaim,
  BucketUsage,
  ReservationIncrease,
  ReservationIncreaseResult,
  ReservationSettlement,
  StoredBucketSpend,
} from '../store-interfaces.ts';
import {
  type BucketWithLocalSlots,
  findMiscountedBuckets,
  type LocalConcurrencySlots,
  listBucketsWithLocalSlots,
  MAX_RECOUNTS,
} from './local-slots.ts';
import type { CounterAcquireContext, SharedStoreCounters } from './redis-counters.ts';

/** Counters that all processes of a server share. They are in memory in the supervisor (`SupervisorCounters`). */
export class CoordinatedCounters implements SharedStoreCounters {
  readonly #coordinator: CoordinatorClient;

  constructor(coordinator: CoordinatorClient) {
    this.#coordinator = coordinator;
  }

  async acquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    taker?: CounterAcquireContext,
  ): Promise<AcquireResult> {
    let acquired = await this.#acquire(orgId, id, claims, taker?.slots);
    for (let times = 0; acquired === null && times < MAX_RECOUNTS && taker?.isWaiting() !== false; times++) {
      // The coordinator handles the calls in this order, so that one round trip is sufficient.
      const recounts = listBucketsWithLocalSlots(orgId, claims, taker?.slots).map((held) =>
        this.#recount(orgId, held),
      );
      const acquiring = this.#acquire(orgId, id, claims, taker?.slots);
      [acquired] = await Promise.all([acquiring, ...recounts]);
    }
    if (acquired === null)
      throw new Error('the supervisor has not counted the concurrency slots of this process');
    return acquired;
  }

  /** The supervisor knows the claims, and does not reply. */
  settle(orgId: string, { id, claims, actual }: ReservationSettlement): void {
    this.#coordinator.post('settle', { orgId, id, buckets: claims.map(({ bucket }) => bucket), actual });
  }

  extend(orgId: string, increase: ReservationIncrease): Promise<ReservationIncreaseResult> {
    const extension = { ...increase, claims: increase.claims.map(toBucketClaim) };
    return this.#coordinator.call('extend', { orgId, extension });
  }

  peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]> {
    return this.#coordinator.call('peek', { orgId, claims: claims.map(toBucketClaim) });
  }

  recordStoredSpend(stored: readonly StoredBucketSpend[]): void {
    const spent = stored.map(({ orgId, bucket, afterNanoUsd }) => ({ orgId, bucket, afterNanoUsd }));
    this.#coordinator.post('record_stored_spend', spent);
  }

  /** The slots need no lease, because the supervisor releases them when this process exits. */
  async renew(orgId: string, held: readonly BucketWithLocalSlots[], inFlight: number): Promise<void> {
    const sizes = held.map(({ slots }) => slots.size);
    const buckets = held.map(({ bucket }) => bucket);
    const counts = await this.#coordinator.call('count_slots', { orgId, buckets });
    const wrong = findMiscountedBuckets(held, counts, { sizes, inFlight });
    await Promise.all(wrong.map((one) => this.#recount(orgId, one)));
  }

  async ping(): Promise<void> {
    await this.#coordinator.call('ping', null);
  }

  /** Does nothing, because the connection to the supervisor is used until the process exits. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #acquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    own: LocalConcurrencySlots | undefined,
  ): Promise<AcquireResult | null> {
    const ownSlots = claims.map(({ kind, bucket }) =>
      kind === 'lease' ? (own?.getSlots(orgId, bucket)?.size ?? 0) : 0,
    );
    return this.#coordinator.call('acquire', { orgId, id, claims: claims.map(toBucketClaim), ownSlots });
  }

  #recount(orgId: string, { bucket, slots }: BucketWithLocalSlots): Promise<null> {
    const ids: string[] = [];
    slots.forEachSlot((_, id) => void ids.push(id));
    return this.#coordinator.call('recount', { orgId, bucket, leaseMs: slots.leaseMs, ids });
  }
}

/** Omits the fields that only the caller of the counters uses, because each message is converted to JSON and back. */
function toBucketClaim(claim: BucketClaim): BucketClaim {
  const { kind, bucket, amount, limit, enforced, persistent, minimumUsed, endsAt, ttlMs, outageMode } = claim;
  return { kind, bucket, amount, limit, enforced, persistent, minimumUsed, endsAt, ttlMs, outageMode };
}

import type {
  AcquireResult,
  BucketClaim,
  BucketUsage,
  Counters,
  ReservationExtension,
  ReservationExtensionResult,
  ReservationSettlement,
} from '../ports.ts';
import { ExhaustedLimits } from './exhausted-limits.ts';
import { MemoryCounters } from './memory-counters.ts';
import { PendingStoreUpdates } from './pending-store-updates.ts';
import type { RemoteCounters } from './redis-counters.ts';
import { refreshSpendBeforeUse, type SpendRefresh } from './refresh-spend.ts';
import { computeReplicaShare, type ReplicaRank } from './replica-share.ts';
import { ReservationExtender } from './reservation-extender.ts';
import { buildAbandonedSettlement, buildCorrectedSettlement, extractSlotSettlement } from './settlements.ts';
import type { SharedStoreStats } from './shared-store-stats.ts';
import { SlotLeaseRenewer } from './slot-lease-renewer.ts';
import { StoreAvailability } from './store-availability.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * After the store is back each process stays within its share for so long: the others have not all told yet what they
 * granted alone. They notice within the longest wait between two probes and what a probe may take.
 */
const SHARE_ENFORCEMENT_MS = 2_000;

export interface ResilientCountersOptions extends SpendRefresh {
  readonly remote: RemoteCounters;
  /** This process among those that share the store; each takes its share while the store is away. */
  readonly replicaRank: () => ReplicaRank;
  /** What a request may wait for the store. */
  readonly timeoutMs: number;
}

/**
 * Counters that answer within `timeoutMs` whatever becomes of the shared store. While it fails, each process counts
 * its own share of every limit in memory (or none, or refuses: `BucketClaim.away`); what it owes the store by
 * then it pays when the store is back, and tells it what it granted alone. A store that froze costs each caller three such waits, not every one.
 */
export class ResilientCounters implements Counters {
  readonly #options: ResilientCountersOptions;
  readonly #local: MemoryCounters;
  readonly #availability: StoreAvailability;
  readonly #exhaustedLimits = new ExhaustedLimits();
  readonly #pendingUpdates: PendingStoreUpdates;
  readonly #renewals: SlotLeaseRenewer;
  readonly #extensions: ReservationExtender;
  /** Takes sent to the store whose answers are not known yet. */
  #inFlight = 0;
  #sharesEnforcedUntil = Number.NEGATIVE_INFINITY;
  readonly #stats = { errors: 0, localGrants: 0, localRejections: 0 };

  constructor(options: ResilientCountersOptions) {
    const { remote, clock } = options;
    this.#options = options;
    this.#local = new MemoryCounters(clock);
    this.#availability = new StoreAvailability({
      ...options,
      recover: () => this.#recover(),
      onRecovered: () => {
        this.#sharesEnforcedUntil = clock.monotonic() + SHARE_ENFORCEMENT_MS + options.timeoutMs;
      },
    });
    this.#extensions = new ReservationExtender({
      ...options,
      local: this.#local,
      extendRemotely: async (orgId, extension) =>
        this.#withStoreTimeout(Promise.resolve(remote.extend(orgId, extension))),
      onFailure: (error, began) => this.#availability.recordFailure(error, began),
    });
    this.#pendingUpdates = new PendingStoreUpdates({
      remote,
      clock,
      withTimeout: (work) => this.#withStoreTimeout(work),
    });
    this.#renewals = new SlotLeaseRenewer({
      local: this.#local,
      remote: { renew: (orgId, held, count) => this.#withStoreTimeout(remote.renew(orgId, held, count)) },
      clock,
      isStoreAvailable: () => !this.isStoreUnavailable,
      inFlight: () => this.#inFlight,
    });
  }

  /** Whether requests are counted by this process alone at the moment. */
  get isStoreUnavailable(): boolean {
    return this.#availability.isUnavailable;
  }

  /** Whether it is away, or was late less than a second ago and has not granted in time since. */
  get isStoreSlow(): boolean {
    return this.#availability.isSlow;
  }

  stats(): SharedStoreStats {
    return { isUnavailable: this.isStoreUnavailable, ...this.#stats };
  }

  async acquire(orgId: string, id: string, claims: readonly BucketClaim[]): Promise<AcquireResult> {
    if (this.isStoreUnavailable) return this.#acquireAlone(orgId, id, claims);
    const began = this.#options.clock.monotonic();
    if (began < this.#sharesEnforcedUntil) return this.#acquireWithinShare(orgId, id, claims);
    const taking = this.#acquireRemotely(orgId, id, claims);
    try {
      const taken = await this.#withStoreTimeout(taking);
      this.#onStoreReply();
      return { ...taken, localSecond: this.#recordLocally(orgId, id, claims, taken) };
    } catch (error) {
      const own = this.#acquireLocally(orgId, id, claims);
      return this.#resolveTimedOutAcquire(orgId, id, claims, {
        localResult: own,
        error,
        startedAt: began,
        pending: taking,
      });
    }
  }

  settle(orgId: string, settlement: ReservationSettlement): void | Promise<void> {
    this.#local.settle(orgId, { ...settlement, second: settlement.localSecond });
    const owed = settlement.countedLocally ? extractSlotSettlement(settlement) : settlement;
    if (owed === null) return;
    if (this.isStoreUnavailable) return this.#pendingUpdates.enqueueSettlement(orgId, owed);
    return this.#settleRemotely(orgId, owed);
  }

  extend(
    orgId: string,
    extension: ReservationExtension,
  ): ReservationExtensionResult | Promise<ReservationExtensionResult> {
    if (this.isStoreUnavailable || extension.countedLocally)
      return this.#extensions.extendLocally(orgId, extension);
    return this.#extensions.extend(orgId, extension);
  }

  async peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]> {
    if (this.isStoreUnavailable) return this.#local.peek(orgId, claims);
    const began = this.#options.clock.monotonic();
    try {
      return await this.#withStoreTimeout(this.#options.remote.peek(orgId, claims));
    } catch (error) {
      this.#availability.recordFailure(error, began);
      return this.#local.peek(orgId, claims);
    }
  }

  async close(): Promise<void> {
    this.#availability.close();
    this.#renewals.close();
    await this.#local.close();
    await this.#options.remote.close();
  }

  /** What went through this process counts against its share too, should the store go away. */
  #recordLocally(orgId: string, id: string, claims: readonly BucketClaim[], taken: AcquireResult): number {
    const own: BucketClaim[] = [];
    for (const [index, claim] of claims.entries())
      if ((taken.amounts[index] ?? 0) > 0) own.push({ ...claim, enforced: false });
    if (own.length === 0) return 0;
    this.#renewals.start();
    return this.#local.acquire(orgId, id, own).second;
  }

  #acquireAlone(orgId: string, id: string, claims: readonly BucketClaim[]): AcquireResult {
    const own = this.#acquireLocally(orgId, id, claims);
    this.#countLocalDecision(own);
    this.#pendingUpdates.recordLocalGrant(orgId, claims, own);
    return own;
  }

  /** The store is back: what it grants has to fit the share of this process as well, which is taken first. */
  async #acquireWithinShare(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
  ): Promise<AcquireResult> {
    // Rules that refuse while nobody counts are counted again.
    const shared = claims.map((claim) =>
      claim.outageMode === 'closed' ? { ...claim, outageMode: 'open' as const } : claim,
    );
    const own = this.#acquireLocally(orgId, id, shared);
    if (own.refusedIndex !== null) {
      this.#countLocalDecision(own);
      this.#pendingUpdates.recordLocalGrant(orgId, claims, own);
      return own;
    }
    const began = this.#options.clock.monotonic();
    const taking = this.#acquireRemotely(orgId, id, claims);
    try {
      const taken = await this.#withStoreTimeout(taking);
      this.#onStoreReply();
      this.#local.settle(orgId, buildCorrectedSettlement(id, claims, own, taken));
      return { ...taken, localSecond: own.localSecond };
    } catch (error) {
      return this.#resolveTimedOutAcquire(orgId, id, claims, {
        localResult: own,
        error,
        startedAt: began,
        pending: taking,
      });
    }
  }

  /** A take that the store did not answer in time stands as this process decided by itself. */
  #resolveTimedOutAcquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    unheard: TimedOutAcquire,
  ): AcquireResult {
    const { localResult, error, startedAt, pending } = unheard;
    this.#stats.errors += 1;
    this.#countLocalDecision(localResult);
    // It may have been taken all the same, without anyone to settle it.
    this.#pendingUpdates.enqueueSettlement(orgId, buildAbandonedSettlement(id, claims, localResult));
    this.#availability.recordFailure(error, startedAt);
    // Carried out late it is counted there; of one that never will be the store has to be told.
    pending.catch(() => this.#pendingUpdates.recordLocalGrant(orgId, claims, localResult));
    return localResult;
  }

  /** What it says is remembered even when it comes too late for the request that asked. */
  async #acquireRemotely(orgId: string, id: string, claims: readonly BucketClaim[]): Promise<AcquireResult> {
    this.#inFlight += 1;
    try {
      const began = this.#options.clock.monotonic();
      const isWaiting = () => this.#options.clock.monotonic() - began < this.#options.timeoutMs;
      const taken = await this.#options.remote.acquire(orgId, id, claims, { slots: this.#local, isWaiting });
      this.#exhaustedLimits.record(orgId, claims, taken, this.#options.clock.monotonic());
      return taken;
    } finally {
      this.#inFlight -= 1;
    }
  }

  #acquireLocally(orgId: string, id: string, claims: readonly BucketClaim[]): AcquireResult {
    const place = this.#options.replicaRank();
    const full = this.#exhaustedLimits.msUntilAvailable(orgId, claims, this.#options.clock.monotonic());
    const own = claims.map((claim, index) =>
      index === full?.index ? { ...claim, limit: -1 } : computeReplicaShare(claim, place),
    );
    const taken = this.#local.acquire(orgId, id, own);
    if (taken.refusedIndex === null) this.#renewals.start();
    const retryAfterMs = full && taken.refusedIndex === full.index ? full.ms : taken.retryAfterMs;
    return { ...taken, retryAfterMs, countedLocally: true };
  }

  #countLocalDecision({ refusedIndex }: AcquireResult): void {
    if (refusedIndex === null) this.#stats.localGrants += 1;
    else this.#stats.localRejections += 1;
  }

  #onStoreReply(): void {
    this.#availability.recordReply();
    if (!this.#pendingUpdates.isEmpty) void this.#flushPendingUpdates();
  }

  async #settleRemotely(orgId: string, settlement: ReservationSettlement): Promise<void> {
    const began = this.#options.clock.monotonic();
    try {
      await this.#withStoreTimeout(Promise.resolve(this.#options.remote.settle(orgId, settlement)));
    } catch (error) {
      this.#pendingUpdates.enqueueSettlement(orgId, settlement);
      this.#availability.recordFailure(error, began);
    }
  }

  /** Asks the store whether it is back, and tells it what it missed. */
  async #recover(): Promise<void> {
    await this.#withStoreTimeout(this.#options.remote.ping());
    await refreshSpendBeforeUse(this.#options);
    await this.#pendingUpdates.flush();
    // What it cannot take now the next take counts again.
    await this.#renewals.renew().catch(() => undefined);
  }

  /** What single failures left behind, while the store is otherwise there. */
  async #flushPendingUpdates(): Promise<void> {
    const began = this.#options.clock.monotonic();
    await this.#pendingUpdates
      .flush()
      .catch((error: unknown) => this.#availability.recordFailure(error, began));
  }

  #withStoreTimeout<T>(work: Promise<T>): Promise<T> {
    return withTimeout(this.#options.clock, this.#options.timeoutMs, work);
  }
}

interface TimedOutAcquire {
  readonly localResult: AcquireResult;
  readonly error: unknown;
  readonly startedAt: number;
  readonly pending: Promise<AcquireResult>;
}

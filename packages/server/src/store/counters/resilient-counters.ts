import type {
  AcquireResult,
  BucketClaim,
  BucketUsage,
  LimitCounters,
  ReservationIncrease,
  ReservationIncreaseResult,
  ReservationSettlement,
  StoredBucketSpend,
} from '../store-interfaces.ts';
import { ExhaustedLimitCache } from './exhausted-limit-cache.ts';
import { InMemoryCounters } from './in-memory-counters.ts';
import type { SharedStoreCounters } from './redis-counters.ts';
import { refreshSpendWithTimeout, type SpendRefreshOptions } from './refresh-spend.ts';
import { applyOutageMode, type ReplicaPosition } from './replica-position.ts';
import { ReservationExtender } from './reservation-extender.ts';
import { buildCorrectionSettlement, buildTimeoutSettlement, extractSlotSettlement } from './settlements.ts';
import { SharedStoreAvailability } from './shared-store-availability.ts';
import type { SharedStoreStats } from './shared-store-stats.ts';
import { SharedStoreUpdateQueue } from './shared-store-update-queue.ts';
import { SlotLeaseRenewer } from './slot-lease-renewer.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * After the store is back, each process stays within its share for this time, because others may not have
 * reported their own grants yet. Covers the longest wait between two probes and the duration of a probe.
 */
const SHARE_ENFORCEMENT_MS = 2_000;

export interface ResilientCountersOptions extends SpendRefreshOptions {
  readonly remote: SharedStoreCounters;
  /** The rank of this process. Each process uses its share while the store is unavailable. */
  readonly replicaRank: () => ReplicaPosition;
  /** How long a request may wait for the store. */
  readonly timeoutMs: number;
}

/**
 * Counters that respond within `timeoutMs` even if the shared store fails. While the store is unavailable,
 * each process counts its share of every limit in memory, or applies `BucketClaim.outageMode`. When the store
 * is available again, the process sends its settlements and grants to the store. If the store does not
 * respond at all, a caller waits at most three times before the process stops waiting for the store.
 */
export class ResilientCounters implements LimitCounters {
  readonly #options: ResilientCountersOptions;
  readonly #local: InMemoryCounters;
  readonly #availability: SharedStoreAvailability;
  readonly #exhaustedLimits = new ExhaustedLimitCache();
  readonly #pendingUpdates: SharedStoreUpdateQueue;
  readonly #renewals: SlotLeaseRenewer;
  readonly #extensions: ReservationExtender;
  /** Number of `acquire` calls to the store without a response yet. */
  #inFlight = 0;
  #sharesEnforcedUntil = Number.NEGATIVE_INFINITY;
  readonly #stats = { errors: 0, localGrants: 0, localRejections: 0 };

  constructor(options: ResilientCountersOptions) {
    const { remote, clock } = options;
    this.#options = options;
    this.#local = new InMemoryCounters(clock, options);
    this.#availability = new SharedStoreAvailability({
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
    this.#pendingUpdates = new SharedStoreUpdateQueue({
      ...options,
      onRejected: (error) => this.#availability.recordFailure(error, clock.monotonic()),
    });
    this.#renewals = new SlotLeaseRenewer({
      local: this.#local,
      remote: { renew: (orgId, held, count) => this.#withStoreTimeout(remote.renew(orgId, held, count)) },
      clock,
      isStoreAvailable: () => !this.isStoreUnavailable,
      inFlight: () => this.#inFlight,
    });
  }

  /** Whether the shared store is unavailable, so that this process counts alone. */
  get isStoreUnavailable(): boolean {
    return this.#availability.isUnavailable;
  }

  /** Whether the store is unavailable, or was slow within the last second and has not granted in time since. */
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
    extension: ReservationIncrease,
  ): ReservationIncreaseResult | Promise<ReservationIncreaseResult> {
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

  recordStoredSpend(stored: readonly StoredBucketSpend[]): void {
    this.#local.recordStoredSpend(stored);
    this.#options.remote.recordStoredSpend(stored);
  }

  async close(): Promise<void> {
    this.#availability.close();
    this.#renewals.close();
    await this.#pendingUpdates.close();
    await this.#local.close();
    await this.#options.remote.close();
  }

  /** Also counts grants of the store against the local share, in case the store fails. */
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

  /** After an outage, a grant must also fit the share of this process. The share is checked first. */
  async #acquireWithinShare(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
  ): Promise<AcquireResult> {
    // Rules with outage mode `closed` are counted again.
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
      this.#local.settle(orgId, buildCorrectionSettlement(id, claims, own, taken));
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

  /** If the store did not respond in time, the local decision applies. */
  #resolveTimedOutAcquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    unheard: TimedOutAcquire,
  ): AcquireResult {
    const { localResult, error, startedAt, pending } = unheard;
    this.#stats.errors += 1;
    this.#countLocalDecision(localResult);
    // The store may have counted it, but no one would settle it.
    this.#pendingUpdates.enqueueSettlement(orgId, buildTimeoutSettlement(id, claims, localResult));
    this.#availability.recordFailure(error, startedAt);
    // A late call is counted by the store. A failed one must be reported to it.
    pending.catch(() => this.#pendingUpdates.recordLocalGrant(orgId, claims, localResult));
    return localResult;
  }

  /** Records the result even if it is too late for the request. */
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
      index === full?.index ? { ...claim, limit: -1 } : applyOutageMode(claim, place),
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
    if (this.#pendingUpdates.isEmpty) return;
    // Sends updates that single failures left while the store is available.
    const began = this.#options.clock.monotonic();
    this.#pendingUpdates.flush().catch((error: unknown) => this.#availability.recordFailure(error, began));
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

  /** Probes the store and sends what it missed. */
  async #recover(): Promise<void> {
    await this.#withStoreTimeout(this.#options.remote.ping());
    await refreshSpendWithTimeout(this.#options);
    await this.#pendingUpdates.flush();
    // If this fails, the next `acquire` counts the slots again.
    await this.#renewals.renew().catch(() => undefined);
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

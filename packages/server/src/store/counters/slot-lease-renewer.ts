import type { Clock, Timer } from '../../core/clock.ts';
import type { MemoryCounters } from './memory-counters.ts';
import type { OccupiedBucket, RemoteCounters } from './redis-counters.ts';

/** How often it is looked whether a lease is due. */
const CHECK_INTERVAL_MS = 1_000;
/** A lease is renewed when a third of its time has passed, so that one renewal may be lost. */
const RENEWALS_PER_LEASE = 3;
/** Buckets in one call. */
const BUCKETS_PER_CALL = 200;

export interface SlotLeaseRenewerOptions {
  /** The slots of this process. */
  readonly local: MemoryCounters;
  readonly remote: Pick<RemoteCounters, 'renew'>;
  readonly clock: Clock;
  /** False while the store is away: nothing is sent then. */
  readonly isStoreAvailable: () => boolean;
  /** Takes whose answers are not known yet. */
  readonly inFlight: () => number;
}

/** Keeps the shared store from releasing the slots of this process, as long as it has any. */
export class SlotLeaseRenewer {
  readonly #options: SlotLeaseRenewerOptions;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: SlotLeaseRenewerOptions) {
    this.#options = options;
  }

  /** Called after slots were taken. */
  start(): void {
    if (this.#timer !== null || this.#closed) return;
    const look = () => void this.#renewDue();
    this.#timer = this.#options.clock.after(CHECK_INTERVAL_MS, look);
  }

  /** Renews the leases on all slots now, or only those that are due. */
  async renew(due: 'all' | 'due' = 'all'): Promise<void> {
    const { local, remote, clock, inFlight } = this.#options;
    const nowMs = clock.monotonic();
    const byOrg = new Map<string, OccupiedBucket[]>();
    local.forEachOccupied((slots, orgId, bucket) => {
      // The look after this one may come a look late.
      const leftMs = slots.renewedAt + slots.leaseMs / RENEWALS_PER_LEASE - nowMs;
      if (due === 'due' && leftMs >= CHECK_INTERVAL_MS) return;
      const held = byOrg.get(orgId) ?? [];
      byOrg.set(orgId, held);
      held.push({ bucket, slots });
    });
    for (const [orgId, held] of byOrg)
      for (let at = 0; at < held.length; at += BUCKETS_PER_CALL) {
        const some = held.slice(at, at + BUCKETS_PER_CALL);
        await remote.renew(orgId, some, inFlight());
        for (const { slots } of some) slots.renewedAt = nowMs;
      }
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #renewDue(): Promise<void> {
    const { local, isStoreAvailable } = this.#options;
    let any = false;
    local.forEachOccupied(() => {
      any = true;
    });
    // What cannot be renewed now is counted again by the next take.
    if (any && isStoreAvailable()) await this.renew('due').catch(() => undefined);
    this.#timer = null;
    if (any) this.start();
  }
}

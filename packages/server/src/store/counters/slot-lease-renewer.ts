import type { Clock, Timer } from '../../core/clock.ts';
import { CounterRejection } from './counter-rejection.ts';
import type { InMemoryCounters } from './in-memory-counters.ts';
import type { BucketWithLocalSlots } from './local-slots.ts';
import type { SharedStoreCounters } from './redis-counters.ts';

/** Interval at which due leases are looked for. */
const CHECK_INTERVAL_MS = 1_000;
/** A lease is renewed after a third of its duration, so that one renewal may fail. */
const RENEWALS_PER_LEASE = 3;
/** Number of buckets in one call. */
const BUCKETS_PER_CALL = 200;

export interface SlotLeaseRenewerOptions {
  /** The slots of this process. */
  readonly local: InMemoryCounters;
  readonly remote: Pick<SharedStoreCounters, 'renew'>;
  readonly clock: Clock;
  /** Returns false while the store is unavailable. Nothing is sent then. */
  readonly isStoreAvailable: () => boolean;
  /** Number of `acquire` calls without a response yet. */
  readonly inFlight: () => number;
}

/**
 * Renews the leases on this process's concurrency slots in the shared store, as long as the process has any.
 */
export class SlotLeaseRenewer {
  readonly #options: SlotLeaseRenewerOptions;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: SlotLeaseRenewerOptions) {
    this.#options = options;
  }

  /** Called after slots were acquired. */
  start(): void {
    if (this.#timer !== null || this.#closed) return;
    const look = () => void this.#renewDue();
    this.#timer = this.#options.clock.after(CHECK_INTERVAL_MS, look);
  }

  /** Renews the leases of all slots, or only the due ones. */
  async renew(due: 'all' | 'due' = 'all'): Promise<void> {
    const { local, remote, clock, inFlight } = this.#options;
    const nowMs = clock.monotonic();
    const byOrg = new Map<string, BucketWithLocalSlots[]>();
    local.forEachOccupied((slots, orgId, bucket) => {
      // The next check may be one interval late.
      const leftMs = slots.renewedAt + slots.leaseMs / RENEWALS_PER_LEASE - nowMs;
      if (due === 'due' && leftMs >= CHECK_INTERVAL_MS) return;
      const held = byOrg.get(orgId) ?? [];
      byOrg.set(orgId, held);
      held.push({ bucket, slots });
    });
    for (const [orgId, held] of byOrg)
      for (let at = 0; at < held.length; at += BUCKETS_PER_CALL) {
        const some = held.slice(at, at + BUCKETS_PER_CALL);
        // A rejected call must not delay the leases of other organizations.
        await remote.renew(orgId, some, inFlight()).catch((error: unknown) => {
          if (!(error instanceof CounterRejection)) throw error;
        });
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
    // If this fails, the next `acquire` counts the slots again.
    if (any && isStoreAvailable()) await this.renew('due').catch(() => undefined);
    this.#timer = null;
    if (any) this.start();
  }
}

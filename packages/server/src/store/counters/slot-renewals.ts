import type { Clock, Timer } from '../../core/clock.ts';
import type { MemoryCounters } from './memory.ts';
import type { HeldBucket, RemoteCounters } from './redis.ts';

/** How often it is looked whether a lease is due. */
const LOOK_MS = 1_000;
/** A lease is renewed when a third of its time has passed, so that one renewal may be lost. */
const RENEWALS_PER_LEASE = 3;
/** Buckets in one call. */
const AT_ONCE = 200;

export interface SlotRenewalsOptions {
  /** The slots of this process. */
  readonly local: MemoryCounters;
  readonly remote: Pick<RemoteCounters, 'renew'>;
  readonly clock: Clock;
  /** False while the store is away: nothing is sent then. */
  readonly isThere: () => boolean;
  /** Takes whose answers are not known yet. */
  readonly inFlight: () => number;
}

/** Keeps the shared store from releasing the slots of this process, as long as it has any. */
export class SlotRenewals {
  readonly #options: SlotRenewalsOptions;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: SlotRenewalsOptions) {
    this.#options = options;
  }

  /** Called after slots were taken. */
  start(): void {
    if (this.#timer !== null || this.#closed) return;
    const look = () => void this.#look();
    this.#timer = this.#options.clock.after(LOOK_MS, look);
  }

  /** Renews the leases on all slots now, or only those that are due. */
  async renew(due: 'all' | 'due' = 'all'): Promise<void> {
    const { local, remote, clock, inFlight } = this.#options;
    const nowMs = clock.monotonic();
    const byOrg = new Map<string, HeldBucket[]>();
    local.eachHeld((slots, orgId, bucket) => {
      // The look after this one may come a look late.
      const leftMs = slots.renewedAt + slots.leaseMs / RENEWALS_PER_LEASE - nowMs;
      if (due === 'due' && leftMs >= LOOK_MS) return;
      const held = byOrg.get(orgId) ?? [];
      byOrg.set(orgId, held);
      held.push({ bucket, slots });
    });
    for (const [orgId, held] of byOrg)
      for (let at = 0; at < held.length; at += AT_ONCE) {
        const some = held.slice(at, at + AT_ONCE);
        await remote.renew(orgId, some, inFlight());
        for (const { slots } of some) slots.renewedAt = nowMs;
      }
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { local, isThere } = this.#options;
    let any = false;
    local.eachHeld(() => {
      any = true;
    });
    // What cannot be renewed now is counted again by the next take.
    if (any && isThere()) await this.renew('due').catch(() => undefined);
    this.#timer = null;
    if (any) this.start();
  }
}

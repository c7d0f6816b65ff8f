import type { Clock } from '../../core/clock.ts';
import type { ReservationIncrease, ReservationIncreaseResult } from '../store-interfaces.ts';
import type { InMemoryCounters } from './in-memory-counters.ts';
import { applyOutageMode, type ReplicaPosition } from './replica-position.ts';

export interface ReservationExtenderOptions {
  /** The counters of this process. */
  readonly local: InMemoryCounters;
  /** Extends in the shared store. Rejects if it does not respond in time. */
  readonly extendRemotely: (
    orgId: string,
    extension: ReservationIncrease,
  ) => Promise<ReservationIncreaseResult>;
  readonly clock: Clock;
  readonly replicaRank: () => ReplicaPosition;
  /** Called for each failure of the store, with the start of the call. */
  readonly onFailure: (error: unknown, began: number) => void;
}

/**
 * Extends reservations in the shared store. While the store does not respond, extends them within
 * this process's share.
 */
export class ReservationExtender {
  readonly #options: ReservationExtenderOptions;

  constructor(options: ReservationExtenderOptions) {
    this.#options = options;
  }

  /** A grant of the store is counted in this process too, as all grants are. */
  async extend(orgId: string, extension: ReservationIncrease): Promise<ReservationIncreaseResult> {
    const { local, extendRemotely, clock, onFailure } = this.#options;
    const began = clock.monotonic();
    try {
      const extended = await extendRemotely(orgId, extension);
      const claims = extension.claims.map((claim) => ({ ...claim, enforced: false }));
      local.extend(orgId, { ...extension, claims, amount: extended.granted });
      return extended;
    } catch (error) {
      onFailure(error, began);
      return this.extendLocally(orgId, extension);
    }
  }

  extendLocally(orgId: string, extension: ReservationIncrease): ReservationIncreaseResult {
    const { local, replicaRank } = this.#options;
    const own = replicaRank();
    const claims = extension.claims.map((claim) => applyOutageMode(claim, own));
    return { ...local.extend(orgId, { ...extension, claims }), countedLocally: true };
  }
}

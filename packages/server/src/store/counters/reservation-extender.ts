import type { Clock } from '../../core/clock.ts';
import type { ReservationExtension, ReservationExtensionResult } from '../ports.ts';
import type { MemoryCounters } from './memory-counters.ts';
import { computeReplicaShare, type ReplicaRank } from './replica-share.ts';

export interface ReservationExtenderOptions {
  /** What this process counts by itself. */
  readonly local: MemoryCounters;
  /** Asks the shared store; rejects when it does not answer in time. */
  readonly extendRemotely: (
    orgId: string,
    extension: ReservationExtension,
  ) => Promise<ReservationExtensionResult>;
  readonly clock: Clock;
  readonly replicaRank: () => ReplicaRank;
  /** Told of each failure of the store, and when the call began. */
  readonly onFailure: (error: unknown, began: number) => void;
}

/** Extends reservations in the shared store, or by this process' share while that does not answer. */
export class ReservationExtender {
  readonly #options: ReservationExtenderOptions;

  constructor(options: ReservationExtenderOptions) {
    this.#options = options;
  }

  /** What the store grants is counted in this process too, like all that it grants. */
  async extend(orgId: string, extension: ReservationExtension): Promise<ReservationExtensionResult> {
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

  extendLocally(orgId: string, extension: ReservationExtension): ReservationExtensionResult {
    const { local, replicaRank } = this.#options;
    const own = replicaRank();
    const claims = extension.claims.map((claim) => computeReplicaShare(claim, own));
    return { ...local.extend(orgId, { ...extension, claims }), countedLocally: true };
  }
}

import type { Clock } from '../../core/clock.ts';
import type { Extended, Extension } from '../ports.ts';
import type { MemoryCounters } from './memory.ts';
import { type Place, shareOf } from './share.ts';

export interface SharedExtensionsOptions {
  /** What this process counts by itself. */
  readonly local: MemoryCounters;
  /** Asks the shared store; rejects when it does not answer in time. */
  readonly ask: (orgId: string, extension: Extension) => Promise<Extended>;
  readonly clock: Clock;
  readonly place: () => Place;
  /** Told of each failure of the store, and when the call began. */
  readonly failed: (error: unknown, began: number) => void;
}

/** Extends reservations in the shared store, or by this process' share while that does not answer. */
export class SharedExtensions {
  readonly #options: SharedExtensionsOptions;

  constructor(options: SharedExtensionsOptions) {
    this.#options = options;
  }

  /** What the store grants is counted in this process too, like all that it grants. */
  async extend(orgId: string, extension: Extension): Promise<Extended> {
    const { local, ask, clock, failed } = this.#options;
    const began = clock.monotonic();
    try {
      const extended = await ask(orgId, extension);
      const claims = extension.claims.map((claim) => ({ ...claim, enforced: false }));
      local.extend(orgId, { ...extension, claims, amount: extended.granted });
      return extended;
    } catch (error) {
      failed(error, began);
      return this.extendAlone(orgId, extension);
    }
  }

  extendAlone(orgId: string, extension: Extension): Extended {
    const { local, place } = this.#options;
    const own = place();
    const claims = extension.claims.map((claim) => shareOf(claim, own));
    return { ...local.extend(orgId, { ...extension, claims }), away: true };
  }
}

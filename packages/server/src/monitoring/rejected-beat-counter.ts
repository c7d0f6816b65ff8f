import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';

const SLICE_MS = 60_000;
const RETENTION_MS = 60 * SLICE_MS;

interface OrgRejections {
  /** Number of rejected beats, by minute. */
  readonly slices: Map<number, number>;
  last: string;
  atMs: number;
}

/** Counts the authenticated beats that this process rejected in the last hour. */
export class RejectedBeatCounter {
  readonly #clock: Clock;
  readonly #byOrg = new Map<string, OrgRejections>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `work`. If it rejects with a client error, counts a rejected beat. Rethrows the error. */
  async track<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Fault && error.status < 500) this.#record(orgId, error.message);
      throw error;
    }
  }

  /** Returns the rejected beats of an organization; null if there were none. */
  forOrg(orgId: string): { readonly count: number; readonly last: string; readonly atMs: number } | null {
    const refused = this.#byOrg.get(orgId);
    if (!refused) return null;
    this.#removeExpired(refused);
    const count = [...refused.slices.values()].reduce((sum, slice) => sum + slice, 0);
    return count === 0 ? null : { count, last: refused.last, atMs: refused.atMs };
  }

  #record(orgId: string, last: string): void {
    const atMs = this.#clock.now();
    const refused = this.#byOrg.get(orgId) ?? { slices: new Map<number, number>(), last, atMs };
    const slice = Math.floor(atMs / SLICE_MS);
    refused.slices.set(slice, (refused.slices.get(slice) ?? 0) + 1);
    refused.last = last;
    refused.atMs = atMs;
    this.#removeExpired(refused);
    this.#byOrg.set(orgId, refused);
  }

  #removeExpired({ slices }: OrgRejections): void {
    const oldest = Math.floor((this.#clock.now() - RETENTION_MS) / SLICE_MS);
    for (const slice of slices.keys()) if (slice <= oldest) slices.delete(slice);
  }
}

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Claim, Settlement, Taken } from '../ports.ts';
import type { RemoteCounters } from './redis.ts';
import { Untold } from './untold.ts';

/** Settlements kept for when it is back: some 20 seconds of a busy process. */
const OWED_AT_MOST = 20_000;

interface Owed {
  readonly orgId: string;
  readonly settlement: Settlement;
}

export interface StoreDebtsOptions {
  readonly remote: Pick<RemoteCounters, 'settle' | 'take'>;
  readonly clock: Clock;
  /** Rejects when the store does not answer in time. */
  readonly within: <T>(work: Promise<T>) => Promise<T>;
}

/** What the shared store has to be told when it answers again: settlements, and requests that were granted alone. */
export class StoreDebts {
  readonly #options: StoreDebtsOptions;
  readonly #untold = new Untold();
  #owed: Owed[] = [];
  #paying: Promise<void> | null = null;

  constructor(options: StoreDebtsOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#owed.length === 0 && this.#untold.isEmpty;
  }

  owe(orgId: string, settlement: Settlement): void {
    if (this.#owed.length < OWED_AT_MOST) this.#owed.push({ orgId, settlement });
  }

  /** Notes what this process granted by itself. */
  noteAlone(orgId: string, claims: readonly Claim[], own: Taken): void {
    this.#untold.note(orgId, claims, own, this.#options.clock.monotonic());
  }

  /**
   * Tells the store all of it. One at a time: two that pay the same list would each strike off what the other has not
   * paid.
   *
   * @throws what the store throws; the rest is kept
   */
  pay(): Promise<void> {
    this.#paying ??= this.#pay().finally(() => {
      this.#paying = null;
    });
    return this.#paying;
  }

  async #pay(): Promise<void> {
    const { remote, clock, within } = this.#options;
    let paid = 0;
    try {
      for (let owed = this.#owed[0]; owed !== undefined; owed = this.#owed[paid]) {
        await within(Promise.resolve(remote.settle(owed.orgId, owed.settlement)));
        paid += 1;
      }
    } finally {
      this.#owed = this.#owed.slice(paid);
    }
    await this.#untold.settle(clock.monotonic(), (orgId, claim) =>
      within(Promise.resolve(remote.take(orgId, `told_${randomUUID()}`, [claim]))),
    );
  }
}

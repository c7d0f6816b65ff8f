import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Claim, Counters, Extended, Extension, Level, Settlement, Taken } from '../ports.ts';
import { answerWithin } from './answer-within.ts';
import { KnownFull } from './known-full.ts';
import { MemoryCounters } from './memory.ts';
import type { RemoteCounters } from './redis.ts';
import { abandoned, corrected, slotsOf } from './settlements.ts';
import { type Place, shareOf } from './share.ts';
import { SlotRenewals } from './slot-renewals.ts';
import { StoreAvailability } from './store-availability.ts';
import { StoreDebts } from './store-debts.ts';

/**
 * After the store is back each process stays within its share for so long: the others have not all told yet what they
 * granted alone. They notice within the longest wait between two probes and what a probe may take.
 */
const SHARES_KEPT_MS = 2_000;

export interface ResilientOptions {
  readonly remote: RemoteCounters;
  readonly clock: Clock;
  readonly log: Log;
  /** This process among those that share the store; each takes its share while the store is away. */
  readonly place: () => Place;
  /** What a request may wait for the store. */
  readonly timeoutMs: number;
}

/** How the shared store has served this process since it started. */
export interface SharedStoreFigures {
  /** Requests are counted by this process alone now. */
  readonly away: boolean;
  /** Requests that waited for it and heard nothing in time, or an error. */
  readonly unheard: number;
  /** Requests judged by this process alone, those and all others while it was away. */
  readonly ownGrants: number;
  readonly ownRefusals: number;
}

/**
 * Counters that answer within `timeoutMs` whatever becomes of the shared store. While it fails, each process counts
 * its own share of every limit in memory (or none, or refuses: `Claim.away`); what it owes the store by
 * then it pays when the store is back, and tells it what it granted alone. A store that froze costs each caller three such waits, not every one.
 */
export class ResilientCounters implements Counters {
  readonly #options: ResilientOptions;
  readonly #local: MemoryCounters;
  readonly #full = new KnownFull();
  readonly #store: StoreAvailability;
  readonly #debts: StoreDebts;
  readonly #renewals: SlotRenewals;
  /** Takes sent to the store whose answers are not known yet. */
  #inFlight = 0;
  #sharesUntil = Number.NEGATIVE_INFINITY;
  #unheard = 0;
  #ownGrants = 0;
  #ownRefusals = 0;

  constructor(options: ResilientOptions) {
    this.#options = options;
    this.#local = new MemoryCounters(options.clock);
    this.#store = new StoreAvailability({
      clock: options.clock,
      log: options.log,
      processes: () => options.place().count,
      probe: () => this.#catchUp(),
      onBack: () => {
        this.#sharesUntil = options.clock.monotonic() + SHARES_KEPT_MS + options.timeoutMs;
      },
    });
    this.#debts = new StoreDebts({
      remote: options.remote,
      clock: options.clock,
      within: (work) => this.#within(work),
    });
    this.#renewals = new SlotRenewals({
      local: this.#local,
      remote: { renew: (orgId, held, inFlight) => this.#within(options.remote.renew(orgId, held, inFlight)) },
      clock: options.clock,
      isThere: () => !this.away,
      inFlight: () => this.#inFlight,
    });
  }

  /** Whether requests are counted by this process alone at the moment. */
  get away(): boolean {
    return this.#store.away;
  }

  /** Whether it is away, or was late less than a second ago and has not granted in time since. */
  get isLate(): boolean {
    return this.#store.isLate;
  }

  figures(): SharedStoreFigures {
    const [unheard, ownGrants, ownRefusals] = [this.#unheard, this.#ownGrants, this.#ownRefusals];
    return { away: this.away, unheard, ownGrants, ownRefusals };
  }

  async take(orgId: string, id: string, claims: readonly Claim[]): Promise<Taken> {
    if (this.away) return this.#takeAlone(orgId, id, claims);
    const began = this.#options.clock.monotonic();
    if (began < this.#sharesUntil) return this.#takeOfShare(orgId, id, claims);
    const taking = this.#takeRemotely(orgId, id, claims);
    try {
      const taken = await this.#within(taking);
      this.#heard();
      return { ...taken, ownSecond: this.#noteOwn(orgId, id, claims, taken) };
    } catch (error) {
      const own = this.#takeLocally(orgId, id, claims);
      return this.#unheardTake(orgId, id, claims, { own, error, began, taking });
    }
  }

  settle(orgId: string, settlement: Settlement): void | Promise<void> {
    this.#local.settle(orgId, { ...settlement, second: settlement.ownSecond });
    const owed = settlement.away ? slotsOf(settlement) : settlement;
    if (owed === null) return;
    if (this.away) return this.#debts.owe(orgId, owed);
    return this.#settleRemotely(orgId, owed);
  }

  /** What the store grants is counted here too; what it does not answer in time this process decides by its share. */
  async extend(orgId: string, extension: Extension): Promise<Extended> {
    if (this.away || extension.away) return this.#extendLocally(orgId, extension);
    const began = this.#options.clock.monotonic();
    try {
      const extended = await this.#within(Promise.resolve(this.#options.remote.extend(orgId, extension)));
      const own = extension.claims.map((claim) => ({ ...claim, enforced: false }));
      this.#local.extend(orgId, { ...extension, claims: own, amount: extended.granted });
      return extended;
    } catch (error) {
      this.#failed(error, began);
      return this.#extendLocally(orgId, extension);
    }
  }

  async peek(orgId: string, claims: readonly Claim[]): Promise<readonly Level[]> {
    if (this.away) return this.#local.peek(orgId, claims);
    const began = this.#options.clock.monotonic();
    try {
      return await this.#within(this.#options.remote.peek(orgId, claims));
    } catch (error) {
      this.#failed(error, began);
      return this.#local.peek(orgId, claims);
    }
  }

  async close(): Promise<void> {
    this.#store.close();
    this.#renewals.close();
    await this.#local.close();
    await this.#options.remote.close();
  }

  /** What went through this process counts against its share too, should the store go away. */
  #noteOwn(orgId: string, id: string, claims: readonly Claim[], { amounts }: Taken): number {
    const own: Claim[] = [];
    for (const [index, claim] of claims.entries())
      if ((amounts[index] ?? 0) > 0) own.push({ ...claim, enforced: false });
    if (own.length === 0) return 0;
    this.#renewals.start();
    return this.#local.take(orgId, id, own).second;
  }

  #takeAlone(orgId: string, id: string, claims: readonly Claim[]): Taken {
    const own = this.#takeLocally(orgId, id, claims);
    this.#countAlone(own);
    this.#debts.noteAlone(orgId, claims, own);
    return own;
  }

  /** The store is back: what it grants has to fit the share of this process as well, which is taken first. */
  async #takeOfShare(orgId: string, id: string, claims: readonly Claim[]): Promise<Taken> {
    // Rules that refuse while nobody counts are counted again.
    const shared = claims.map((claim) =>
      claim.away === 'closed' ? { ...claim, away: 'open' as const } : claim,
    );
    const own = this.#takeLocally(orgId, id, shared);
    if (own.refused !== null) {
      this.#countAlone(own);
      this.#debts.noteAlone(orgId, claims, own);
      return own;
    }
    const began = this.#options.clock.monotonic();
    const taking = this.#takeRemotely(orgId, id, claims);
    try {
      const taken = await this.#within(taking);
      this.#heard();
      this.#local.settle(orgId, corrected(id, claims, own, taken));
      return { ...taken, ownSecond: own.ownSecond };
    } catch (error) {
      return this.#unheardTake(orgId, id, claims, { own, error, began, taking });
    }
  }

  /** A take that the store did not answer in time stands as this process decided by itself. */
  #unheardTake(orgId: string, id: string, claims: readonly Claim[], unheard: UnheardTake): Taken {
    const { own, error, began, taking } = unheard;
    this.#unheard += 1;
    this.#countAlone(own);
    // It may have been taken all the same, without anyone to settle it.
    this.#debts.owe(orgId, abandoned(id, claims, own));
    this.#failed(error, began);
    // Carried out late it is counted there; of one that never will be the store has to be told.
    taking.catch(() => this.#debts.noteAlone(orgId, claims, own));
    return own;
  }

  /** What it says is remembered even when it comes too late for the request that asked. */
  async #takeRemotely(orgId: string, id: string, claims: readonly Claim[]): Promise<Taken> {
    this.#inFlight += 1;
    try {
      const began = this.#options.clock.monotonic();
      const isAwaited = () => this.#options.clock.monotonic() - began < this.#options.timeoutMs;
      const taken = await this.#options.remote.take(orgId, id, claims, this.#local, isAwaited);
      this.#full.note(orgId, claims, taken, this.#options.clock.monotonic());
      return taken;
    } finally {
      this.#inFlight -= 1;
    }
  }

  #takeLocally(orgId: string, id: string, claims: readonly Claim[]): Taken {
    const place = this.#options.place();
    const full = this.#full.waitMs(orgId, claims, this.#options.clock.monotonic());
    const own = claims.map((claim, index) =>
      index === full?.index ? { ...claim, limit: -1 } : shareOf(claim, place),
    );
    const taken = this.#local.take(orgId, id, own);
    if (taken.refused === null) this.#renewals.start();
    const retryAfterMs = full && taken.refused === full.index ? full.ms : taken.retryAfterMs;
    return { ...taken, retryAfterMs, away: true };
  }

  #extendLocally(orgId: string, extension: Extension): Extended {
    const place = this.#options.place();
    const claims = extension.claims.map((claim) => shareOf(claim, place));
    return { ...this.#local.extend(orgId, { ...extension, claims }), away: true };
  }

  #countAlone({ refused }: Taken): void {
    if (refused === null) this.#ownGrants += 1;
    else this.#ownRefusals += 1;
  }

  #heard(): void {
    this.#store.answered();
    if (!this.#debts.isEmpty) void this.#payQuietly();
  }

  async #settleRemotely(orgId: string, settlement: Settlement): Promise<void> {
    const began = this.#options.clock.monotonic();
    try {
      await this.#within(Promise.resolve(this.#options.remote.settle(orgId, settlement)));
    } catch (error) {
      this.#debts.owe(orgId, settlement);
      this.#failed(error, began);
    }
  }

  #failed(error: unknown, began: number): void {
    this.#store.failed(error, began);
  }

  /** Asks the store whether it is there, and tells it what it has missed. */
  async #catchUp(): Promise<void> {
    await this.#within(this.#options.remote.ping());
    await this.#debts.pay();
    // What it cannot take now the next take counts again.
    await this.#renewals.renew().catch(() => undefined);
  }

  /** What single failures left behind, while the store is otherwise there. */
  async #payQuietly(): Promise<void> {
    const began = this.#options.clock.monotonic();
    await this.#debts.pay().catch((error: unknown) => this.#failed(error, began));
  }

  #within<T>(work: Promise<T>): Promise<T> {
    return answerWithin(this.#options.clock, this.#options.timeoutMs, work);
  }
}

interface UnheardTake {
  readonly own: Taken;
  readonly error: unknown;
  readonly began: number;
  readonly taking: Promise<Taken>;
}

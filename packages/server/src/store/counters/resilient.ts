import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Claim, Counters, Extended, Extension, Settlement, Standing, Taken } from '../ports.ts';
import { answerWithin } from './answer-within.ts';
import { KnownFull } from './known-full.ts';
import { MemoryCounters } from './memory.ts';
import type { RemoteCounters } from './redis.ts';
import { abandoned, corrected, slotsOf } from './settlements.ts';
import { type Place, shareOf } from './share.ts';
import { SharedExtensions } from './shared-extensions.ts';
import type { SharedStoreFigures } from './shared-store-figures.ts';
import { SlotRenewals } from './slot-renewals.ts';
import { StoreDebts } from './store-debts.ts';

/**
 * Failures in a row after which nobody waits for it any more, each of a call that began after the one before was
 * known: a store that stood still for a moment fails many calls at once, and that is one failure.
 */
const FAILURES_TO_OPEN = 3;
/** A store that was slow for a moment is used again soon; one that stays away is asked twice a second. */
const FIRST_PROBE_MS = 50;
const LONGEST_PROBE_MS = 500;
/** So long after it was late nobody else waits for it a second time. */
const LATE_MS = 1_000;
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

/**
 * Counters that answer within `timeoutMs` whatever becomes of the shared store. While it fails, each process counts
 * its own share of every limit in memory (or none, or refuses: `Claim.away`); what it owes the store by
 * then it pays when the store is back, and tells it what it granted alone. A store that froze costs each caller three such waits, not every one.
 */
export class ResilientCounters implements Counters {
  readonly #options: ResilientOptions;
  readonly #local: MemoryCounters;
  readonly #full = new KnownFull();
  readonly #debts: StoreDebts;
  readonly #renewals: SlotRenewals;
  readonly #extensions: SharedExtensions;
  /** Takes sent to the store whose answers are not known yet. */
  #inFlight = 0;
  #sharesUntil = Number.NEGATIVE_INFINITY;
  readonly #figures = { unheard: 0, ownGrants: 0, ownRefusals: 0 };
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probe: Timer | null = null;
  #probeMs = FIRST_PROBE_MS;
  #closed = false;

  constructor(options: ResilientOptions) {
    this.#options = options;
    this.#local = new MemoryCounters(options.clock);
    this.#extensions = new SharedExtensions({
      ...options,
      local: this.#local,
      ask: async (orgId, extension) => this.#within(Promise.resolve(options.remote.extend(orgId, extension))),
      failed: (error, began) => this.#failed(error, began),
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
    return this.#probe !== null;
  }

  /** Whether it is away, or was late less than a second ago and has not granted in time since. */
  get isLate(): boolean {
    if (this.away) return true;
    return this.#failures > 0 && this.#options.clock.monotonic() - this.#failedAt < LATE_MS;
  }

  figures(): SharedStoreFigures {
    return { away: this.away, ...this.#figures };
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

  extend(orgId: string, extension: Extension): Extended | Promise<Extended> {
    if (this.away || extension.away) return this.#extensions.extendAlone(orgId, extension);
    return this.#extensions.extend(orgId, extension);
  }

  async peek(orgId: string, claims: readonly Claim[]): Promise<readonly Standing[]> {
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
    this.#closed = true;
    this.#probe?.cancel();
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
    this.#figures.unheard += 1;
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
      const isWaiting = () => this.#options.clock.monotonic() - began < this.#options.timeoutMs;
      const taken = await this.#options.remote.take(orgId, id, claims, { slots: this.#local, isWaiting });
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

  #countAlone({ refused }: Taken): void {
    if (refused === null) this.#figures.ownGrants += 1;
    else this.#figures.ownRefusals += 1;
  }

  #heard(): void {
    this.#failures = 0;
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
    if (began < this.#failedAt) return;
    this.#failedAt = this.#options.clock.monotonic();
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.away || this.#closed) return;
    this.#options.log.error(
      { err: error, replicas: this.#options.place().count },
      'the shared store does not answer; limits are counted by this process alone until it does',
    );
    this.#probeMs = FIRST_PROBE_MS;
    this.#probeLater();
  }

  #probeLater(): void {
    const probe = () => void this.#ask();
    this.#probe = this.#options.clock.after(this.#probeMs, probe);
    this.#probeMs = Math.min(LONGEST_PROBE_MS, this.#probeMs * 2);
  }

  async #ask(): Promise<void> {
    try {
      await this.#within(this.#options.remote.ping());
      await this.#debts.pay();
      // What it cannot take now the next take counts again.
      await this.#renewals.renew().catch(() => undefined);
    } catch {
      if (!this.#closed) this.#probeLater();
      return;
    }
    this.#probe = null;
    this.#failures = 0;
    this.#sharesUntil = this.#options.clock.monotonic() + SHARES_KEPT_MS + this.#options.timeoutMs;
    this.#options.log.warn({}, 'the shared store answers again; limits are counted there');
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

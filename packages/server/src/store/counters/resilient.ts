import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Claim, Counters, Held, Level, Settlement, Taken } from '../ports.ts';
import { KnownFull } from './known-full.ts';
import { MemoryCounters } from './memory.ts';
import type { RemoteCounters } from './redis.ts';
import { Untold } from './untold.ts';

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
/** Settlements kept for when it is back: some 20 seconds of a busy process. */
const OWED_AT_MOST = 20_000;
const OWED_PER_PROBE = 1_000;

export interface ResilientOptions {
  readonly remote: RemoteCounters;
  readonly clock: Clock;
  readonly log: Log;
  /** Processes that share the store now; each takes so great a share while it is away. */
  readonly replicas: () => number;
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

interface Owed {
  readonly orgId: string;
  readonly settlement: Settlement;
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
  readonly #untold = new Untold();
  #unheard = 0;
  #ownGrants = 0;
  #ownRefusals = 0;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probe: Timer | null = null;
  #probeMs = FIRST_PROBE_MS;
  #owed: Owed[] = [];
  #paying: Promise<void> | null = null;
  #closed = false;

  constructor(options: ResilientOptions) {
    this.#options = options;
    this.#local = new MemoryCounters(options.clock);
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
    const [unheard, ownGrants, ownRefusals] = [this.#unheard, this.#ownGrants, this.#ownRefusals];
    return { away: this.away, unheard, ownGrants, ownRefusals };
  }

  async take(orgId: string, id: string, claims: readonly Claim[]): Promise<Taken> {
    if (this.away) return this.#takeAlone(orgId, id, claims);
    const began = this.#options.clock.monotonic();
    const taking = this.#takeRemotely(orgId, id, claims);
    try {
      const taken = await this.#within(taking);
      this.#failures = 0;
      if (this.#owed.length > 0 || !this.#untold.isEmpty) void this.#payQuietly();
      return { ...taken, ownSecond: this.#noteOwn(orgId, id, claims, taken) };
    } catch (error) {
      this.#unheard += 1;
      // It may have been taken all the same, without anyone to settle it.
      this.#owe({ orgId, settlement: abandoned(id, claims) });
      this.#failed(error, began);
      const own = this.#takeLocally(orgId, id, claims);
      // Carried out late it is counted there; of one that never will be the store has to be told.
      taking.catch(() => this.#untold.note(orgId, claims, own, this.#options.clock.monotonic()));
      return own;
    }
  }

  settle(orgId: string, settlement: Settlement): void | Promise<void> {
    this.#local.settle(orgId, { ...settlement, second: settlement.ownSecond });
    if (settlement.away) return;
    if (this.away) return this.#owe({ orgId, settlement });
    return this.#settleRemotely({ orgId, settlement });
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

  async renew(orgId: string, held: readonly Held[]): Promise<void> {
    await this.#local.renew(orgId, held);
    if (!this.away) await this.#within(this.#options.remote.renew(orgId, held)).catch(ignore);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#probe?.cancel();
    await this.#local.close();
    await this.#options.remote.close();
  }

  /** What went through this process counts against its share too, should the store go away. */
  #noteOwn(orgId: string, id: string, claims: readonly Claim[], { amounts }: Taken): number {
    const own: Claim[] = [];
    for (const [index, claim] of claims.entries())
      if ((amounts[index] ?? 0) > 0) own.push({ ...claim, enforced: false });
    return own.length === 0 ? 0 : this.#local.take(orgId, id, own).second;
  }

  #takeAlone(orgId: string, id: string, claims: readonly Claim[]): Taken {
    const own = this.#takeLocally(orgId, id, claims);
    this.#untold.note(orgId, claims, own, this.#options.clock.monotonic());
    return own;
  }

  /** What it says is remembered even when it comes too late for the request that asked. */
  async #takeRemotely(orgId: string, id: string, claims: readonly Claim[]): Promise<Taken> {
    const taken = await this.#options.remote.take(orgId, id, claims);
    this.#full.note(orgId, claims, taken, this.#options.clock.monotonic());
    return taken;
  }

  #takeLocally(orgId: string, id: string, claims: readonly Claim[]): Taken {
    const replicas = Math.max(1, this.#options.replicas());
    const full = this.#full.waitMs(orgId, claims, this.#options.clock.monotonic());
    const own = claims.map((claim, index) =>
      index === full?.index ? { ...claim, limit: -1 } : shareOf(claim, replicas),
    );
    const taken = this.#local.take(orgId, id, own);
    if (taken.refused === null) this.#ownGrants += 1;
    else this.#ownRefusals += 1;
    const retryAfterMs = full && taken.refused === full.index ? full.ms : taken.retryAfterMs;
    return { ...taken, retryAfterMs, away: true };
  }

  async #settleRemotely(owed: Owed): Promise<void> {
    const began = this.#options.clock.monotonic();
    try {
      await this.#within(Promise.resolve(this.#options.remote.settle(owed.orgId, owed.settlement)));
    } catch (error) {
      this.#owe(owed);
      this.#failed(error, began);
    }
  }

  #owe(owed: Owed): void {
    if (this.#owed.length < OWED_AT_MOST) this.#owed.push(owed);
  }

  #failed(error: unknown, began: number): void {
    if (began < this.#failedAt) return;
    this.#failedAt = this.#options.clock.monotonic();
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.away || this.#closed) return;
    this.#options.log.error(
      { err: error, replicas: this.#options.replicas() },
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
      await this.#payAll();
    } catch {
      if (!this.#closed) this.#probeLater();
      return;
    }
    this.#probe = null;
    this.#failures = 0;
    this.#options.log.warn({}, 'the shared store answers again; limits are counted there');
  }

  /** What single failures left behind, while the store is otherwise there. */
  async #payQuietly(): Promise<void> {
    const began = this.#options.clock.monotonic();
    await this.#payAll().catch((error: unknown) => this.#failed(error, began));
  }

  /** One at a time: two that pay the same list would each strike off what the other has not paid. */
  #payAll(): Promise<void> {
    this.#paying ??= this.#pay().finally(() => {
      this.#paying = null;
    });
    return this.#paying;
  }

  async #pay(): Promise<void> {
    while (this.#owed.length > 0) {
      const batch = this.#owed.slice(0, OWED_PER_PROBE);
      for (const { orgId, settlement } of batch) {
        await this.#within(Promise.resolve(this.#options.remote.settle(orgId, settlement)));
        this.#owed.shift();
      }
    }
    const { remote, clock } = this.#options;
    await this.#untold.settle(clock.monotonic(), (orgId, claim) =>
      this.#within(Promise.resolve(remote.take(orgId, `told_${randomUUID()}`, [claim]))),
    );
  }

  #within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { clock, timeoutMs } = this.#options;
      // A process that was busy itself finds the timer due and the answer waiting: the answer is read first.
      const late = () => setImmediate(reject, new Error(`no answer within ${timeoutMs} ms`));
      const timer = clock.after(timeoutMs, late);
      work.then(
        (value) => {
          timer.cancel();
          resolve(value);
        },
        (error: unknown) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  }
}

/** What one of `replicas` may use of a limit by itself; of a budget, of what was left of it. */
function shareOf(claim: Claim, replicas: number): Claim {
  if (claim.away === 'open') return { ...claim, enforced: false };
  if (claim.away === 'closed') return { ...claim, limit: -1 };
  const { kind, floor } = claim;
  if (kind === 'spend') {
    const left = Math.max(0, claim.limit - floor);
    return { ...claim, limit: floor + Math.floor(left / replicas) };
  }
  const limit = Math.max(1, Math.floor(claim.limit / replicas));
  return { ...claim, limit, amount: Math.min(claim.amount, limit) };
}

/** Gives back what a take that nobody heard the answer of may have reserved; its requests per minute stay spent. */
function abandoned(id: string, claims: readonly Claim[]): Settlement {
  const nothing = claims.map(() => 0);
  const amounts = claims.map(({ amount }) => amount);
  return { id, second: 0, away: false, ownSecond: 0, claims, amounts, actual: nothing };
}

function ignore(): void {
  // A lease that could not be renewed ends by itself; the store's absence is told where requests meet it.
}

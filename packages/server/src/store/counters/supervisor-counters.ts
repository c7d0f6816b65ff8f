import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type {
  AcquireResult,
  BucketClaim,
  BucketUsage,
  ReservationIncrease,
  ReservationIncreaseResult,
  StoredBucketSpend,
} from '../store-interfaces.ts';
import { InMemoryCounters } from './in-memory-counters.ts';

/** The buckets whose number of slots a process compares with its own. */
export interface SlotCountQuery {
  readonly orgId: string;
  readonly buckets: readonly string[];
}

/** All slots that a process has in one bucket. */
export interface BucketWithSlotIds {
  readonly orgId: string;
  readonly bucket: string;
  readonly leaseMs: number;
  readonly ids: readonly string[];
}

/** The final amounts of the claims of an exchange, by bucket. */
export interface ClaimSettlement {
  readonly orgId: string;
  readonly id: string;
  readonly buckets: readonly string[];
  readonly actual: readonly number[];
}

/** The claims of an exchange that have not been settled. */
interface OpenExchange {
  readonly process: number;
  /** By bucket. */
  readonly claims: Map<string, OpenClaim>;
}

interface OpenClaim {
  readonly orgId: string;
  readonly claim: BucketClaim;
  /** The second in which the claim was counted. */
  readonly second: number;
}

/**
 * The counters of several processes of one machine. A settlement applies only to claims that are open, because a
 * process that did not receive a response to `acquire` in time does not know what was counted. If a process exits, its
 * concurrency slots are released. Its reservations in budgets remain until its replacement has charged them
 * (`dropOrphans`).
 */
export class SupervisorCounters {
  readonly #clock: Clock;
  readonly #counters: InMemoryCounters;
  readonly #open = new Map<string, OpenExchange>();
  /** The start of each slot, by exchange, for each process and bucket. */
  readonly #slots = new Map<string, Map<string, number>>();
  /** The exchanges of processes that have exited. */
  readonly #orphans = new Map<number, string[]>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#counters = new InMemoryCounters(clock, { log });
  }

  /**
   * Acquires for a process.
   * @param ownSlots the number of slots that the process has in each bucket
   * @returns null if the process has slots that are not counted here. Nothing is counted in this case.
   */
  acquire(
    process: number,
    {
      orgId,
      id,
      claims,
    }: { readonly orgId: string; readonly id: string; readonly claims: readonly BucketClaim[] },
    ownSlots: readonly number[],
  ): AcquireResult | null {
    const isMissingSlots = claims.some(
      ({ kind, bucket }, index) =>
        kind === 'lease' && (ownSlots[index] ?? 0) > this.#countSlots(process, orgId, bucket),
    );
    if (isMissingSlots) return null;
    const acquired = this.#counters.acquire(orgId, id, claims);
    if (acquired.refusedIndex === null)
      for (const claim of claims) this.#recordOpen(process, id, { orgId, claim, second: acquired.second });
    return acquired;
  }

  /** Settles the claims that are still open. Ignores others, because they were settled before. */
  settle({ orgId, id, buckets, actual }: ClaimSettlement): void {
    const open = this.#open.get(id);
    for (const [index, bucket] of buckets.entries()) {
      const entry = open?.claims.get(bucket);
      if (!open || entry?.orgId !== orgId) continue;
      const { claim, second } = entry;
      this.#counters.settle(orgId, {
        id,
        second,
        countedLocally: false,
        localSecond: second,
        claims: [claim],
        amounts: [claim.amount],
        actual: [actual[index] ?? 0],
      });
      this.#removeOpen(id, open, bucket);
    }
  }

  extend(orgId: string, extension: ReservationIncrease): ReservationIncreaseResult {
    const open = this.#open.get(extension.id);
    // An increase that no settlement releases must not be granted.
    if (!open) return { granted: 0, limitingIndex: 0, countedLocally: false };
    return this.#counters.extend(orgId, extension);
  }

  peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]> {
    return this.#counters.peek(orgId, claims);
  }

  recordStoredSpend(stored: readonly StoredBucketSpend[]): void {
    this.#counters.recordStoredSpend(stored);
  }

  countSlots(process: number, { orgId, buckets }: SlotCountQuery): readonly number[] {
    return buckets.map((bucket) => this.#countSlots(process, orgId, bucket));
  }

  /**
   * Counts the listed slots of a process. Removes others that are older than a lease, because their settlement was
   * lost. A newer one may belong to an `acquire` whose response the process has not received.
   */
  recount(process: number, { orgId, bucket, leaseMs, ids }: BucketWithSlotIds): void {
    const slots = this.#slots.get(slotsKey(process, orgId, bucket));
    const listed = new Set(ids);
    for (const id of listed)
      if (!slots?.has(id)) {
        const claim = createSlotClaim(bucket, leaseMs);
        const { second } = this.#counters.acquire(orgId, id, [claim]);
        this.#recordOpen(process, id, { orgId, claim, second });
      }
    const staleAt = this.#clock.monotonic() - leaseMs;
    for (const [id, since] of slots ?? [])
      if (!listed.has(id) && since <= staleAt) this.#release(id, 'lease');
  }

  /** Releases the concurrency slots of a process that has exited. */
  removeProcess(process: number): void {
    const orphans = this.#orphans.get(process) ?? [];
    for (const [id, open] of this.#open) {
      if (open.process !== process) continue;
      this.#release(id, 'lease');
      // Tokens that a killed process may have used stay counted.
      for (const [bucket, { claim }] of open.claims)
        if (claim.kind === 'window') this.#removeOpen(id, open, bucket);
      if (this.#open.has(id)) orphans.push(id);
    }
    if (orphans.length > 0) this.#orphans.set(process, orphans);
  }

  /**
   * Releases the remaining reservations of the processes that had this number before. Called when the replacement
   * has charged those that it found in the spend journal.
   */
  dropOrphans(process: number): void {
    for (const id of this.#orphans.get(process) ?? []) this.#release(id, 'spend');
    this.#orphans.delete(process);
  }

  /** Releases all claims of one kind without usage. */
  #release(id: string, kind: BucketClaim['kind']): void {
    const entries = [...(this.#open.get(id)?.claims.values() ?? [])];
    for (const { orgId, claim } of entries)
      if (claim.kind === kind) this.settle({ orgId, id, buckets: [claim.bucket], actual: [0] });
  }

  #recordOpen(process: number, id: string, opened: OpenClaim): void {
    const { orgId, claim } = opened;
    // Requests that were counted stay counted.
    if (claim.kind === 'window' && claim.persistent) return;
    const open = this.#open.get(id) ?? { process, claims: new Map<string, OpenClaim>() };
    this.#open.set(id, open);
    open.claims.set(claim.bucket, opened);
    if (claim.kind !== 'lease') return;
    const key = slotsKey(process, orgId, claim.bucket);
    const slots = this.#slots.get(key) ?? new Map<string, number>();
    this.#slots.set(key, slots.set(id, this.#clock.monotonic()));
  }

  #removeOpen(id: string, open: OpenExchange, bucket: string): void {
    const entry = open.claims.get(bucket);
    open.claims.delete(bucket);
    if (open.claims.size === 0) this.#open.delete(id);
    if (entry?.claim.kind !== 'lease') return;
    const key = slotsKey(open.process, entry.orgId, bucket);
    const slots = this.#slots.get(key);
    slots?.delete(id);
    if (slots?.size === 0) this.#slots.delete(key);
  }

  #countSlots(process: number, orgId: string, bucket: string): number {
    return this.#slots.get(slotsKey(process, orgId, bucket))?.size ?? 0;
  }
}

function slotsKey(process: number, orgId: string, bucket: string): string {
  return `${process}\n${orgId}\n${bucket}`;
}

function createSlotClaim(bucket: string, leaseMs: number): BucketClaim {
  return {
    kind: 'lease',
    bucket,
    amount: 1,
    limit: 0,
    enforced: false,
    persistent: false,
    minimumUsed: 0,
    endsAt: 0,
    ttlMs: leaseMs,
    outageMode: 'local',
  };
}

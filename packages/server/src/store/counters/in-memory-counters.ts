import type { Clock } from '../../core/clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { RepeatedFailureLog } from '../../core/repeated-failure-log.ts';
import type {
  AcquireResult,
  BucketClaim,
  BucketLevel,
  BucketUsage,
  LimitCounters,
  ReservationIncrease,
  ReservationIncreaseResult,
  ReservationSettlement,
  StoredBucketSpend,
} from '../store-interfaces.ts';
import { CounterBucketTable } from './counter-bucket-table.ts';
import { ConcurrencyBucket, type CounterBucket, RateLimitBucket, SpendBucket } from './counter-buckets.ts';

/**
 * Number of buckets that are checked for removal per call, and per added bucket, so that the table contains at most
 * twice as many buckets as are in use.
 */
const BUCKETS_SWEPT = 2;
/**
 * Maximum number of buckets of an organization, about 100 MB. Callers choose the names of end users, so they could
 * otherwise fill the memory.
 */
const MAX_BUCKETS_PER_ORG = 100_000;
/**
 * Prefix of the names of the leases with which breakers test a target. The number of targets limits the number of
 * leases.
 */
export const PROBE_BUCKET_PREFIX = 'probe:';
/** Wait time for a claim without space. Unused buckets have possibly been removed by then. */
const FULL_TABLE_WAIT_MS = 1_000;

export interface InMemoryCountersOptions {
  /** Reports organizations that have too many counters. */
  readonly log?: Log;
  readonly maxBucketsPerOrg?: number;
}

/**
 * The counters of a single process. They start empty. The amounts already spent come from the
 * database (`BucketClaim.minimumUsed`).
 */
export class InMemoryCounters implements LimitCounters {
  readonly #clock: Clock;
  readonly #buckets = new CounterBucketTable<CounterBucket>();
  readonly #maxBucketsPerOrg: number;
  readonly #fullTable: RepeatedFailureLog;
  /** Number of buckets to check for removal because others were added. */
  #owedChecks = 0;

  constructor(
    clock: Clock,
    { log = silentLog, maxBucketsPerOrg = MAX_BUCKETS_PER_ORG }: InMemoryCountersOptions = {},
  ) {
    this.#clock = clock;
    this.#maxBucketsPerOrg = maxBucketsPerOrg;
    this.#fullTable = new RepeatedFailureLog(log, clock, {
      failed:
        'organization has too many counters of limits and budgets; requests that need another one are rejected',
    });
  }

  /** Number of buckets. */
  get size(): number {
    return this.#buckets.size;
  }

  /**
   * Rejects enforced claims for which there is no space. Other claims without space are not counted, except slots, whose
   * number is limited by the exchanges in progress. Test leases of breakers always have space.
   */
  acquire(orgId: string, id: string, claims: readonly BucketClaim[]): AcquireResult {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    this.#sweepEmpty(nowMs, second);
    const buckets = claims.map((claim) => this.#bucketFor(orgId, claim));
    let refused: number | null = null;
    let retryAfterMs: number | null = null;
    for (const rates of [true, false]) {
      for (const [index, claim] of claims.entries()) {
        if (!claim.enforced || (claim.kind !== 'spend') !== rates) continue;
        const waitMs = buckets[index]?.msUntilAvailable(claim, nowMs, second) ?? FULL_TABLE_WAIT_MS;
        if (waitMs === 0) continue;
        // A budget that is spent is reported before one that is only reserved.
        const isSpent = !rates && waitMs === Number.POSITIVE_INFINITY;
        if (refused === null || (isSpent && retryAfterMs !== null)) refused = index;
        if (isSpent) {
          retryAfterMs = null;
          break;
        }
        if (Number.isFinite(waitMs)) retryAfterMs = Math.max(retryAfterMs ?? 0, waitMs);
      }
      if (refused !== null) break;
    }
    const rateRefused = refused !== null && claims[refused]?.kind !== 'spend';
    const amounts: number[] = [];
    const levels: BucketLevel[] = [];
    for (const [index, claim] of claims.entries()) {
      const bucket = buckets[index];
      const granted = refused === null || (!rateRefused && claim.persistent);
      if (granted) bucket?.acquire(id, claim, nowMs, second);
      // The database counts the money also without a bucket.
      amounts.push(granted && (bucket || claim.kind === 'spend') ? claim.amount : 0);
      levels.push(readBucketLevel(bucket, claim, nowMs, second));
    }
    return {
      refusedIndex: refused,
      isTableFull: refused !== null && buckets[refused] === undefined,
      retryAfterMs,
      levels,
      amounts,
      second,
      countedLocally: false,
      localSecond: second,
    };
  }

  settle(orgId: string, settlement: ReservationSettlement): void {
    const nowMs = this.#clock.monotonic();
    for (const [index, claim] of settlement.claims.entries()) {
      const bucket =
        this.#buckets.get(orgId, claim.bucket) ??
        (addsUsage(settlement, index) ? this.#bucketFor(orgId, claim) : undefined);
      bucket?.settle(settlement, index, nowMs);
    }
  }

  extend(orgId: string, { id, claims, amount }: ReservationIncrease): ReservationIncreaseResult {
    let granted = amount;
    let short: number | null = null;
    const buckets = claims.map((claim) => this.#spendBucketFor(orgId, claim));
    for (const [index, claim] of claims.entries()) {
      const room = buckets[index]?.remaining(claim) ?? (claim.enforced ? 0 : amount);
      if (room >= granted) continue;
      granted = Math.max(0, room);
      short = index;
    }
    for (const bucket of buckets) bucket?.extend(id, granted);
    return { granted, limitingIndex: short, countedLocally: false };
  }

  async peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]> {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    return claims.map((claim) => {
      const bucket = this.#buckets.get(orgId, claim.bucket);
      const held = bucket instanceof SpendBucket ? bucket.reserved : 0;
      return { ...readBucketLevel(bucket, claim, nowMs, second), reserved: held };
    });
  }

  recordStoredSpend(stored: readonly StoredBucketSpend[]): void {
    const nowMs = this.#clock.monotonic();
    for (const { orgId, bucket: name, afterNanoUsd } of stored) {
      const bucket = this.#buckets.get(orgId, name);
      if (bucket instanceof SpendBucket) bucket.recordStored(afterNanoUsd, nowMs);
    }
  }

  async close(): Promise<void> {
    this.#buckets.clear();
  }

  /** The slots of this process in a bucket. Undefined if it has had none recently. */
  getSlots(orgId: string, bucket: string): ConcurrencyBucket | undefined {
    const slots = this.#buckets.get(orgId, bucket);
    return slots instanceof ConcurrencyBucket ? slots : undefined;
  }

  /** Calls `visit` for every bucket in which this process has slots. */
  forEachOccupied(visit: (slots: ConcurrencyBucket, orgId: string, bucket: string) => void): void {
    this.#buckets.forEach((bucket, orgId, name) => {
      if (bucket instanceof ConcurrencyBucket && bucket.size > 0) visit(bucket, orgId, name);
    });
  }

  #spendBucketFor(orgId: string, claim: BucketClaim): SpendBucket | undefined {
    const bucket = this.#bucketFor(orgId, claim);
    if (bucket === undefined || bucket instanceof SpendBucket) return bucket;
    throw new Error(`"${claim.bucket}" is not a budget`);
  }

  /** Returns the bucket of a claim. Undefined if it is a new one and the organization has too many. */
  #bucketFor(orgId: string, claim: BucketClaim): CounterBucket | undefined {
    const known = this.#buckets.get(orgId, claim.bucket);
    if (known) return known;
    if (!isBounded(claim) && this.#buckets.countOf(orgId) >= this.#maxBucketsPerOrg) {
      const counters = this.#maxBucketsPerOrg;
      this.#fullTable.fail(null, { orgId, counters, bucket: claim.bucket });
      return undefined;
    }
    this.#owedChecks += BUCKETS_SWEPT;
    const bucket = createBucket(claim);
    this.#buckets.add(orgId, claim.bucket, bucket);
    return bucket;
  }

  #sweepEmpty(nowMs: number, second: number): void {
    const wallMs = this.#clock.now();
    const checks = Math.max(BUCKETS_SWEPT, this.#owedChecks);
    this.#owedChecks = 0;
    this.#buckets.sweep(checks, (bucket) => bucket.isEmpty(nowMs, second, wallMs));
  }
}

/** Returns whether something other than the names of end users limits the number of these buckets. */
function isBounded({ kind, enforced, bucket }: BucketClaim): boolean {
  return kind === 'lease' && (!enforced || bucket.startsWith(PROBE_BUCKET_PREFIX));
}

/** Returns whether a settlement adds to what was counted before. Otherwise, it needs no bucket. */
function addsUsage({ claims, amounts, actual }: ReservationSettlement, index: number): boolean {
  const counted = claims[index]?.kind === 'window' ? (amounts[index] ?? 0) : 0;
  return (actual[index] ?? 0) > counted;
}

function createBucket({ kind, endsAt, ttlMs }: BucketClaim): CounterBucket {
  if (kind === 'window') return new RateLimitBucket();
  return kind === 'lease' ? new ConcurrencyBucket(ttlMs) : new SpendBucket(endsAt);
}

function readBucketLevel(
  bucket: CounterBucket | undefined,
  claim: BucketClaim,
  nowMs: number,
  second: number,
): BucketLevel {
  if (!bucket) return { used: claim.minimumUsed, resetMs: 0 };
  return { used: bucket.used(claim, nowMs, second), resetMs: bucket.resetMs(nowMs, second) };
}

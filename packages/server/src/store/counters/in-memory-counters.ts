import type { Clock } from '../../core/clock.ts';
import type {
  AcquireResult,
  BucketClaim,
  BucketLevel,
  BucketUsage,
  LimitCounters,
  ReservationIncrease,
  ReservationIncreaseResult,
  ReservationSettlement,
} from '../store-interfaces.ts';
import { CounterBucketTable } from './counter-bucket-table.ts';
import { ConcurrencyBucket, type CounterBucket, RateLimitBucket, SpendBucket } from './counter-buckets.ts';

/**
 * Number of buckets per call that are checked for removal, so that the table contains only buckets in use.
 */
const BUCKETS_SWEPT_PER_ACQUIRE = 2;

/**
 * The counters of a single process. They start empty. The amounts already spent come from the
 * database (`BucketClaim.minimumUsed`).
 */
export class InMemoryCounters implements LimitCounters {
  readonly #clock: Clock;
  readonly #buckets = new CounterBucketTable<CounterBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of buckets. */
  get size(): number {
    return this.#buckets.size;
  }

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
        const waitMs = buckets[index]?.msUntilAvailable(claim, nowMs, second) ?? 0;
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
      amounts.push(granted ? claim.amount : 0);
      levels.push(readBucketLevel(bucket, claim, nowMs, second));
    }
    return {
      refusedIndex: refused,
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
    for (const [index, claim] of settlement.claims.entries())
      this.#bucketFor(orgId, claim).settle(settlement, index, nowMs);
  }

  extend(orgId: string, { id, claims, amount }: ReservationIncrease): ReservationIncreaseResult {
    let granted = amount;
    let short: number | null = null;
    const buckets = claims.map((claim) => this.#spendBucketFor(orgId, claim));
    for (const [index, claim] of claims.entries()) {
      const room = buckets[index]?.remaining(claim) ?? 0;
      if (room >= granted) continue;
      granted = Math.max(0, room);
      short = index;
    }
    for (const bucket of buckets) bucket.extend(id, granted);
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

  #spendBucketFor(orgId: string, claim: BucketClaim): SpendBucket {
    const bucket = this.#bucketFor(orgId, claim);
    if (bucket instanceof SpendBucket) return bucket;
    throw new Error(`"${claim.bucket}" is not a budget`);
  }

  #bucketFor(orgId: string, claim: BucketClaim): CounterBucket {
    const known = this.#buckets.get(orgId, claim.bucket);
    if (known) return known;
    const bucket = createBucket(claim);
    this.#buckets.add(orgId, claim.bucket, bucket);
    return bucket;
  }

  #sweepEmpty(nowMs: number, second: number): void {
    const wallMs = this.#clock.now();
    this.#buckets.sweep(BUCKETS_SWEPT_PER_ACQUIRE, (bucket) => bucket.isEmpty(nowMs, second, wallMs));
  }
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

import type { Clock } from '../../core/clock.ts';
import type { Claim, Counters, Held, Level, Settlement, Taken } from '../ports.ts';
import { type Bucket, LeaseBucket, SpendBucket, WindowBucket } from './buckets.ts';

/** Buckets looked at per take to see whether they are empty and can go: the map stays as large as what is in use. */
const SWEPT_PER_TAKE = 2;

/** Of one org, by name. */
type Buckets = Map<string, Bucket>;

/** Counters of one process. They start empty with it; what was spent the database knows (`Claim.floor`). */
export class MemoryCounters implements Counters {
  readonly #clock: Clock;
  /** By org and name: a name put together from the two would be hashed anew for each request. */
  readonly #orgs = new Map<string, Buckets>();
  readonly #sweep = new Sweep(this.#orgs);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(orgId: string, id: string, claims: readonly Claim[]): Taken {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    this.#forgetEmpty(nowMs, second);
    const known = this.#bucketsOf(orgId);
    const buckets = claims.map((claim) => bucketFor(known, claim));
    let refused: number | null = null;
    let freeAt: number | null = null;
    for (const rates of [true, false]) {
      for (const [index, claim] of claims.entries()) {
        if (!claim.enforced || (claim.kind !== 'spend') !== rates) continue;
        const wait = buckets[index]?.secondsUntilRoom(claim, nowMs, second) ?? 0;
        if (wait === 0) continue;
        refused ??= index;
        if (Number.isFinite(wait)) freeAt = Math.max(freeAt ?? 0, second + wait);
      }
      if (refused !== null) break;
    }
    const rateRefused = refused !== null && claims[refused]?.kind !== 'spend';
    const amounts: number[] = [];
    const levels: Level[] = [];
    for (const [index, claim] of claims.entries()) {
      const bucket = buckets[index];
      const granted = refused === null || (!rateRefused && claim.lasting);
      if (granted) bucket?.take(id, claim, nowMs, second);
      amounts.push(granted ? claim.amount : 0);
      levels.push(levelOf(bucket, claim, nowMs, second));
    }
    const retryAfterMs = freeAt === null ? null : freeAt * 1000 - nowMs;
    return { refused, retryAfterMs, levels, amounts, second, away: false, ownSecond: second };
  }

  settle(orgId: string, { id, second, claims, amounts, actual }: Settlement): void {
    const now = Math.floor(this.#clock.monotonic() / 1000);
    const known = this.#bucketsOf(orgId);
    for (const [index, claim] of claims.entries())
      bucketFor(known, claim).settle(id, second, amounts[index] ?? 0, actual[index] ?? 0, now);
  }

  async peek(orgId: string, claims: readonly Claim[]): Promise<readonly Level[]> {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    const known = this.#orgs.get(orgId);
    return claims.map((claim) => levelOf(known?.get(claim.bucket), claim, nowMs, second));
  }

  async renew(orgId: string, held: readonly Held[]): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const known = this.#orgs.get(orgId);
    for (const { id, bucket, lastsMs } of held) known?.get(bucket)?.renew(id, nowMs + lastsMs);
  }

  async close(): Promise<void> {
    this.#orgs.clear();
  }

  #bucketsOf(orgId: string): Buckets {
    let buckets = this.#orgs.get(orgId);
    if (!buckets) {
      buckets = new Map();
      this.#orgs.set(orgId, buckets);
    }
    return buckets;
  }

  #forgetEmpty(nowMs: number, second: number): void {
    const wallMs = this.#clock.now();
    for (let count = 0; count < SWEPT_PER_TAKE; count++)
      this.#sweep.step((bucket) => bucket.empty(nowMs, second, wallMs));
  }
}

/** Walks round and round over all buckets, one at a time. */
class Sweep {
  readonly #orgs: Map<string, Buckets>;
  #left: MapIterator<[string, Buckets]>;
  #orgId = '';
  #buckets: Buckets = new Map();
  #bucketsLeft: MapIterator<[string, Bucket]> = this.#buckets.entries();

  constructor(orgs: Map<string, Buckets>) {
    this.#orgs = orgs;
    this.#left = orgs.entries();
  }

  /** Removes the next bucket when `isEmpty` says so, and an org that has none left. */
  step(isEmpty: (bucket: Bucket) => boolean): void {
    const next = this.#bucketsLeft.next();
    if (next.done) return this.#nextOrg();
    const [name, bucket] = next.value;
    if (isEmpty(bucket)) this.#buckets.delete(name);
  }

  #nextOrg(): void {
    if (this.#buckets.size === 0) this.#orgs.delete(this.#orgId);
    const next = this.#left.next();
    if (next.done) {
      this.#left = this.#orgs.entries();
      return;
    }
    [this.#orgId, this.#buckets] = next.value;
    this.#bucketsLeft = this.#buckets.entries();
  }
}

function bucketFor(buckets: Buckets, claim: Claim): Bucket {
  let bucket = buckets.get(claim.bucket);
  if (!bucket) {
    bucket = newBucket(claim);
    buckets.set(claim.bucket, bucket);
  }
  return bucket;
}

function newBucket({ kind, endsAt }: Claim): Bucket {
  if (kind === 'window') return new WindowBucket();
  return kind === 'lease' ? new LeaseBucket() : new SpendBucket(endsAt);
}

function levelOf(bucket: Bucket | undefined, claim: Claim, nowMs: number, second: number): Level {
  if (!bucket) return { used: claim.floor, resetMs: 0 };
  return { used: bucket.used(claim, nowMs, second), resetMs: bucket.resetMs(nowMs, second) };
}

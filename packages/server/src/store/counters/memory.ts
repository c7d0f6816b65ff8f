import type { Clock } from '../../core/clock.ts';
import type { Claim, Counters, Held, Level, Settlement, Taken } from '../ports.ts';
import { type Bucket, LeaseBucket, SpendBucket, WindowBucket } from './buckets.ts';

/** Buckets looked at per take to see whether they are empty and can go: the map stays as large as what is in use. */
const SWEPT_PER_TAKE = 2;

/** Counters of one process. They start empty with it; what was spent the database knows (`Claim.floor`). */
export class MemoryCounters implements Counters {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  #sweep: MapIterator<[string, Bucket]> = this.#buckets.entries();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(orgId: string, id: string, claims: readonly Claim[]): Taken {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    this.#forgetEmpty(nowMs, second);
    const buckets = claims.map((claim) => this.#bucket(orgId, claim));
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
    for (const [index, claim] of claims.entries())
      this.#bucket(orgId, claim).settle(id, second, amounts[index] ?? 0, actual[index] ?? 0, now);
  }

  async peek(orgId: string, claims: readonly Claim[]): Promise<readonly Level[]> {
    const nowMs = this.#clock.monotonic();
    const second = Math.floor(nowMs / 1000);
    return claims.map((claim) => levelOf(this.#buckets.get(nameOf(orgId, claim)), claim, nowMs, second));
  }

  async renew(orgId: string, held: readonly Held[]): Promise<void> {
    const nowMs = this.#clock.monotonic();
    for (const { id, bucket, lastsMs } of held)
      this.#buckets.get(`${orgId}\n${bucket}`)?.renew(id, nowMs + lastsMs);
  }

  async close(): Promise<void> {
    this.#buckets.clear();
  }

  #bucket(orgId: string, claim: Claim): Bucket {
    const name = nameOf(orgId, claim);
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = newBucket(claim);
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }

  #forgetEmpty(nowMs: number, second: number): void {
    for (let count = 0; count < SWEPT_PER_TAKE; count++) {
      const { value, done } = this.#sweep.next();
      if (done) {
        this.#sweep = this.#buckets.entries();
        return;
      }
      if (value[1].empty(nowMs, second, this.#clock.now())) this.#buckets.delete(value[0]);
    }
  }
}

function nameOf(orgId: string, { bucket }: Claim): string {
  return `${orgId}\n${bucket}`;
}

function newBucket({ kind, endsAt }: Claim): Bucket {
  if (kind === 'window') return new WindowBucket();
  return kind === 'lease' ? new LeaseBucket() : new SpendBucket(endsAt);
}

function levelOf(bucket: Bucket | undefined, claim: Claim, nowMs: number, second: number): Level {
  if (!bucket) return { used: claim.floor, resetMs: 0 };
  return { used: bucket.used(claim, nowMs, second), resetMs: bucket.resetMs(nowMs, second) };
}

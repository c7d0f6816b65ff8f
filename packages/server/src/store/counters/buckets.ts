import { ChurningMap } from '../../core/churning-map.ts';
import type { Claim, Settlement } from '../ports.ts';
import { ReleaseEstimate } from './release-estimate.ts';
import { SLOTS, Window } from './window.ts';

/** One bucket in memory. `nowMs` and `second` are of one monotonic clock. */
export interface Bucket {
  /** 0 when the claim fits; else milliseconds until it does, infinite when waiting is not what helps. */
  msUntilRoom(claim: Claim, nowMs: number, second: number): number;
  take(id: string, claim: Claim, nowMs: number, second: number): void;
  /** @param index of the bucket's claim in the settlement */
  settle(settlement: Settlement, index: number, nowMs: number): void;
  used(claim: Claim, nowMs: number, second: number): number;
  resetMs(nowMs: number, second: number): number;
  /** Nothing would change if it were created anew. */
  empty(nowMs: number, second: number, wallMs: number): boolean;
}

export class WindowBucket implements Bucket {
  readonly #window = new Window();

  msUntilRoom({ amount, limit }: Claim, nowMs: number, second: number): number {
    const over = this.#window.used(second) + amount - limit;
    return over <= 0 ? 0 : (second + this.#window.secondsUntilFreed(over, second)) * 1000 - nowMs;
  }

  take(_id: string, { amount }: Claim, _nowMs: number, second: number): void {
    this.#window.add(second, amount, second);
  }

  settle({ second, amounts, actual }: Settlement, index: number, nowMs: number): void {
    const more = (actual[index] ?? 0) - (amounts[index] ?? 0);
    if (more !== 0) this.#window.add(second, more, Math.floor(nowMs / 1000));
  }

  used(_claim: Claim, _nowMs: number, second: number): number {
    return this.#window.used(second);
  }

  resetMs(nowMs: number, second: number): number {
    const seconds = this.#window.secondsUntilEmpty(second);
    return seconds === 0 ? 0 : (second + seconds) * 1000 - nowMs;
  }

  empty(_nowMs: number, second: number): boolean {
    return this.#window.secondsUntilEmpty(second) === 0;
  }
}

/** The mean duration is remembered this long after the last slot was released. */
const MEAN_KEPT_MS = 60_000;

/**
 * Slots of exchanges in flight in this process. A slot ends when it is settled and never by itself: a process that
 * stalls still counts what it has open, and one that dies takes the bucket with it.
 */
export class LeaseBucket implements Bucket {
  /** How long the shared store keeps the slots of a process that no longer renews them. */
  readonly leaseMs: number;
  /** When the shared store was last told to keep them; monotonic milliseconds. */
  renewedAt = Number.NEGATIVE_INFINITY;
  readonly #since = new ChurningMap<number>();
  readonly #estimate = new ReleaseEstimate();
  #releasedAt = Number.NEGATIVE_INFINITY;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  /** Slots taken. */
  get size(): number {
    return this.#since.size;
  }

  /** How long a slot was held recently, in milliseconds; 0 when none has been released. */
  get meanMs(): number {
    return this.#estimate.meanMs;
  }

  /** Visits each slot with the monotonic time at which it was taken. */
  each(visit: (since: number, id: string) => void): void {
    this.#since.each(visit);
  }

  msUntilRoom({ limit }: Claim, nowMs: number): number {
    if (this.#since.size + 1 <= limit) return 0;
    return this.#estimate.msUntil(nowMs, (visit) => this.#since.each(visit));
  }

  take(id: string, _claim: Claim, nowMs: number): void {
    this.#since.set(id, nowMs);
  }

  settle({ id }: Settlement, _index: number, nowMs: number): void {
    const since = this.#since.get(id);
    if (since === undefined) return;
    this.#since.delete(id);
    this.#releasedAt = nowMs;
    this.#estimate.note(nowMs - since);
  }

  used(): number {
    return this.#since.size;
  }

  resetMs(): number {
    return 0;
  }

  empty(nowMs: number): boolean {
    return this.#since.size === 0 && nowMs - this.#releasedAt >= MEAN_KEPT_MS;
  }
}

/** When no reservation was settled yet, nothing says how long one lasts. */
const UNKNOWN_RELEASE_MS = 1_000;

interface Hold {
  amount: number;
  readonly since: number;
}

/** Money spent in a period, and money reserved by exchanges in flight. */
export class SpendBucket implements Bucket {
  readonly #holds = new ChurningMap<Hold>();
  readonly #estimate = new ReleaseEstimate();
  readonly #endsAt: number;
  #held = 0;
  #spent = 0;

  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  /** What requests under way have reserved. */
  get held(): number {
    return this.#held;
  }

  /** Waiting helps where there would be room if nothing were reserved. */
  msUntilRoom(claim: Claim, nowMs: number): number {
    if (this.room(claim) >= claim.amount) return 0;
    if (this.#spent + claim.amount > claim.limit) return Number.POSITIVE_INFINITY;
    if (this.#estimate.meanMs === 0) return UNKNOWN_RELEASE_MS;
    return this.#estimate.msUntil(nowMs, (visit) => this.#holds.each(({ since }) => visit(since)));
  }

  /** What is neither spent nor reserved; below 0 where more was spent than the limit allows. */
  room(claim: Claim): number {
    return claim.enforced ? claim.limit - this.used(claim) : Number.POSITIVE_INFINITY;
  }

  take(id: string, { amount }: Claim, nowMs: number): void {
    this.#holds.set(id, { amount, since: nowMs });
    this.#held += amount;
  }

  /** Adds to a hold that is there; what is settled stays settled. */
  extend(id: string, amount: number): void {
    const hold = this.#holds.get(id);
    if (!hold) return;
    hold.amount += amount;
    this.#held += amount;
  }

  settle({ id, actual }: Settlement, index: number, nowMs: number): void {
    const hold = this.#holds.get(id);
    if (hold) {
      this.#held -= hold.amount;
      this.#holds.delete(id);
      this.#estimate.note(nowMs - hold.since);
    }
    this.#spent += actual[index] ?? 0;
  }

  used({ floor }: Claim): number {
    this.#spent = Math.max(this.#spent, floor);
    return this.#spent + this.#held;
  }

  resetMs(): number {
    return 0;
  }

  empty(_nowMs: number, _second: number, wallMs: number): boolean {
    return this.#endsAt !== 0 && this.#endsAt < wallMs && this.#holds.size === 0;
  }
}

/** The longest any slot can matter, in milliseconds. */
export const WINDOW_MS = SLOTS * 1000;

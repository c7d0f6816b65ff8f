import { ChurningMap } from '../../core/churning-map.ts';
import type { Claim } from '../ports.ts';
import { SLOTS, Window } from './window.ts';

/** One bucket in memory. `nowMs` and `second` are of one monotonic clock. */
export interface Bucket {
  /** 0 when the claim fits; else seconds until it does, infinite when waiting is not what helps. */
  secondsUntilRoom(claim: Claim, nowMs: number, second: number): number;
  take(id: string, claim: Claim, nowMs: number, second: number): void;
  settle(id: string, takenAt: number, amount: number, actual: number, second: number): void;
  renew(id: string, untilMs: number): void;
  used(claim: Claim, nowMs: number, second: number): number;
  resetMs(nowMs: number, second: number): number;
  /** Nothing would change if it were made anew. */
  empty(nowMs: number, second: number, wallMs: number): boolean;
}

export class WindowBucket implements Bucket {
  readonly #window = new Window();

  secondsUntilRoom({ amount, limit }: Claim, _nowMs: number, second: number): number {
    const over = this.#window.used(second) + amount - limit;
    return over <= 0 ? 0 : this.#window.secondsUntilFreed(over, second);
  }

  take(_id: string, { amount }: Claim, _nowMs: number, second: number): void {
    this.#window.add(second, amount, second);
  }

  settle(_id: string, takenAt: number, amount: number, actual: number, second: number): void {
    if (actual !== amount) this.#window.add(takenAt, actual - amount, second);
  }

  renew(): void {
    // Its slots leave by themselves.
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

export class LeaseBucket implements Bucket {
  readonly #expiries = new ChurningMap<number>();
  /** Nothing expires before. */
  #nextExpiry = Number.POSITIVE_INFINITY;

  secondsUntilRoom({ limit }: Claim, nowMs: number): number {
    return this.#count(nowMs) + 1 <= limit ? 0 : Number.POSITIVE_INFINITY;
  }

  take(id: string, { lastsMs }: Claim, nowMs: number): void {
    this.#expireAt(id, nowMs + lastsMs);
  }

  settle(id: string): void {
    this.#expiries.delete(id);
  }

  renew(id: string, untilMs: number): void {
    if (this.#expiries.get(id) !== undefined) this.#expireAt(id, untilMs);
  }

  used(_claim: Claim, nowMs: number): number {
    return this.#count(nowMs);
  }

  resetMs(): number {
    return 0;
  }

  empty(nowMs: number): boolean {
    return this.#count(nowMs) === 0;
  }

  #expireAt(id: string, untilMs: number): void {
    this.#expiries.set(id, untilMs);
    this.#nextExpiry = Math.min(this.#nextExpiry, untilMs);
  }

  #count(nowMs: number): number {
    if (nowMs >= this.#nextExpiry) this.#forgetExpired(nowMs);
    return this.#expiries.size;
  }

  #forgetExpired(nowMs: number): void {
    const expired: string[] = [];
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    this.#expiries.each((expiry, id) => {
      if (expiry <= nowMs) expired.push(id);
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiry);
    });
    for (const id of expired) this.#expiries.delete(id);
  }
}

interface Hold {
  amount: number;
  readonly since: number;
}

export class SpendBucket implements Bucket {
  readonly #holds = new ChurningMap<Hold>();
  readonly #endsAt: number;
  #held = 0;
  #spent = 0;
  /** How long a hold lasted recently. */
  #meanMs = 0;
  #estimatedAt = Number.NEGATIVE_INFINITY;
  #estimateMs = 0;

  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  secondsUntilRoom(claim: Claim, nowMs: number, second: number): number {
    return this.used(claim, nowMs, second) + claim.amount <= claim.limit ? 0 : Number.POSITIVE_INFINITY;
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

  settle(id: string, _takenAt: number, _amount: number, actual: number, nowMs: number): void {
    const hold = this.#holds.get(id);
    if (hold) {
      this.#held -= hold.amount;
      this.#holds.delete(id);
      const heldMs = nowMs - hold.since;
      this.#meanMs += (heldMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : MEAN_WEIGHT);
    }
    this.#spent += actual;
  }

  get held(): number {
    return this.#held;
  }

  renew(): void {
    // A hold lasts until it is settled.
  }

  used({ floor }: Claim, _nowMs: number, _second: number): number {
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

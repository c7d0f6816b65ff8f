import { ChurningMap } from '../../core/churning-map.ts';
import type { Claim } from '../ports.ts';
import { SLOTS, Window } from './window.ts';

/** One bucket in memory. `nowMs` and `second` are of one monotonic clock. */
export interface Bucket {
  /** 0 when the claim fits; else milliseconds until it does, infinite when waiting is not what helps. */
  msUntilRoom(claim: Claim, nowMs: number, second: number): number;
  take(id: string, claim: Claim, nowMs: number, second: number): void;
  settle(id: string, takenAt: number, amount: number, actual: number, nowMs: number): void;
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

  settle(_id: string, takenAt: number, amount: number, actual: number, nowMs: number): void {
    if (actual !== amount) this.#window.add(takenAt, actual - amount, Math.floor(nowMs / 1000));
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

/** An estimate of when a slot is free is never longer than this, nor shorter than the other. */
const LONGEST_ESTIMATE_MS = 10_000;
const SHORTEST_ESTIMATE_MS = 50;
/** Refusals within this time share one look at the slots. */
const ESTIMATE_KEPT_MS = 100;
/** The mean duration is remembered this long after the last slot was released. */
const MEAN_KEPT_MS = 60_000;
/** Share of a new duration in the mean. */
const MEAN_WEIGHT = 1 / 8;

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
  #meanMs = 0;
  #releasedAt = Number.NEGATIVE_INFINITY;
  #estimatedAt = Number.NEGATIVE_INFINITY;
  #estimateMs = 0;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  /** Slots taken. */
  get size(): number {
    return this.#since.size;
  }

  /** How long a slot was held recently, in milliseconds; 0 when none has been released. */
  get meanMs(): number {
    return this.#meanMs;
  }

  /** Visits each slot with the monotonic time at which it was taken. */
  each(visit: (since: number, id: string) => void): void {
    this.#since.each(visit);
  }

  msUntilRoom({ limit }: Claim, nowMs: number): number {
    if (this.#since.size + 1 <= limit) return 0;
    if (nowMs - this.#estimatedAt >= ESTIMATE_KEPT_MS) {
      this.#estimatedAt = nowMs;
      this.#estimateMs = this.#msUntilReleased(nowMs);
    }
    return this.#estimateMs;
  }

  take(id: string, _claim: Claim, nowMs: number): void {
    this.#since.set(id, nowMs);
  }

  settle(id: string, _takenAt: number, _amount: number, _actual: number, nowMs: number): void {
    const since = this.#since.get(id);
    if (since === undefined) return;
    this.#since.delete(id);
    this.#releasedAt = nowMs;
    const heldMs = nowMs - since;
    this.#meanMs += (heldMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : MEAN_WEIGHT);
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

  /**
   * An estimate, by the mean duration of recent slots: when the first one that is not overdue reaches the mean. When
   * all are overdue, each lasts about as much longer as it is overdue by now. The Lua of a take does the same.
   */
  #msUntilReleased(nowMs: number): number {
    let next = Number.POSITIVE_INFINITY;
    let leastOverdue = Number.POSITIVE_INFINITY;
    this.#since.each((since) => {
      const leftMs = this.#meanMs - (nowMs - since);
      if (leftMs > 0) next = Math.min(next, leftMs);
      else leastOverdue = Math.min(leastOverdue, -leftMs);
    });
    const ms = Number.isFinite(next) ? next : leastOverdue;
    return Math.min(LONGEST_ESTIMATE_MS, Math.max(SHORTEST_ESTIMATE_MS, Math.ceil(ms)));
  }
}

export class SpendBucket implements Bucket {
  readonly #holds = new ChurningMap<number>();
  readonly #endsAt: number;
  #held = 0;
  #spent = 0;

  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  msUntilRoom(claim: Claim, nowMs: number, second: number): number {
    return this.used(claim, nowMs, second) + claim.amount <= claim.limit ? 0 : Number.POSITIVE_INFINITY;
  }

  take(id: string, { amount }: Claim): void {
    this.#holds.set(id, amount);
    this.#held += amount;
  }

  settle(id: string, _takenAt: number, _amount: number, actual: number): void {
    this.#held -= this.#holds.get(id) ?? 0;
    this.#holds.delete(id);
    this.#spent += actual;
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

import { OpenAddressingMap } from '../../core/open-addressing-map.ts';
import type { BucketClaim, ReservationSettlement } from '../store-interfaces.ts';
import { ReleaseEstimator } from './release-estimator.ts';
import { SLIDING_WINDOW_INTERVALS, SlidingWindow } from './sliding-window.ts';

/**
 * An in-memory counter. The arguments `nowMs` and `second` of its methods must come from the same monotonic
 * clock.
 */
export interface CounterBucket {
  /**
   * Returns 0 if the claim fits. Otherwise, returns the wait in milliseconds, or Infinity if waiting does not help.
   */
  msUntilAvailable(claim: BucketClaim, nowMs: number, second: number): number;
  acquire(id: string, claim: BucketClaim, nowMs: number, second: number): void;
  /** @param index index of the claim in the settlement */
  settle(settlement: ReservationSettlement, index: number, nowMs: number): void;
  used(claim: BucketClaim, nowMs: number, second: number): number;
  resetMs(nowMs: number, second: number): number;
  /** Returns whether a new bucket could replace the bucket, so that it can be removed. */
  isEmpty(nowMs: number, second: number, wallMs: number): boolean;
}

/** A counter for a rate limit. It counts requests or tokens within 60 seconds. */
export class RateLimitBucket implements CounterBucket {
  readonly #window = new SlidingWindow();

  msUntilAvailable({ amount, limit }: BucketClaim, nowMs: number, second: number): number {
    const over = this.#window.used(second) + amount - limit;
    return over <= 0 ? 0 : (second + this.#window.secondsUntilFreed(over, second)) * 1000 - nowMs;
  }

  acquire(_id: string, { amount }: BucketClaim, _nowMs: number, second: number): void {
    this.#window.add(second, amount, second);
  }

  settle({ second, amounts, actual }: ReservationSettlement, index: number, nowMs: number): void {
    const more = (actual[index] ?? 0) - (amounts[index] ?? 0);
    if (more !== 0) this.#window.add(second, more, Math.floor(nowMs / 1000));
  }

  used(_claim: BucketClaim, _nowMs: number, second: number): number {
    return this.#window.used(second);
  }

  resetMs(nowMs: number, second: number): number {
    const seconds = this.#window.secondsUntilEmpty(second);
    return seconds === 0 ? 0 : (second + seconds) * 1000 - nowMs;
  }

  isEmpty(_nowMs: number, second: number): boolean {
    return this.#window.secondsUntilEmpty(second) === 0;
  }
}

/** How long an unused counter is kept after its last use, so that its mean duration and its sum remain known. */
const IDLE_RETENTION_MS = 60_000;

/**
 * A counter for a concurrency limit. It counts the exchanges in progress in this process, each until its
 * settlement. A blocked process therefore still counts its exchanges. If the process is killed, its counter
 * is lost.
 */
export class ConcurrencyBucket implements CounterBucket {
  /** How long the shared store keeps the slots of a process that does not renew them. */
  readonly leaseMs: number;
  /** Time of the last renewal in the shared store, in monotonic milliseconds. */
  renewedAt = Number.NEGATIVE_INFINITY;
  readonly #acquiredAt = new OpenAddressingMap<number>();
  readonly #estimate = new ReleaseEstimator();
  #releasedAt = Number.NEGATIVE_INFINITY;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  /** Number of slots in use. */
  get size(): number {
    return this.#acquiredAt.size;
  }

  /** Mean duration of recent slots in milliseconds. 0 if none has been released. */
  get meanMs(): number {
    return this.#estimate.meanMs;
  }

  /** Calls `visit` for each slot with the monotonic time of its start. */
  forEachSlot(visit: (since: number, id: string) => void): void {
    this.#acquiredAt.visit(visit);
  }

  msUntilAvailable({ limit }: BucketClaim, nowMs: number): number {
    if (this.#acquiredAt.size + 1 <= limit) return 0;
    return this.#estimate.msUntilRelease(nowMs, (visit) => this.#acquiredAt.visit(visit));
  }

  acquire(id: string, _claim: BucketClaim, nowMs: number): void {
    this.#acquiredAt.set(id, nowMs);
  }

  settle({ id }: ReservationSettlement, _index: number, nowMs: number): void {
    const since = this.#acquiredAt.get(id);
    if (since === undefined) return;
    this.#acquiredAt.delete(id);
    this.#releasedAt = nowMs;
    this.#estimate.record(nowMs - since);
  }

  used(): number {
    return this.#acquiredAt.size;
  }

  resetMs(): number {
    return 0;
  }

  isEmpty(nowMs: number): boolean {
    return this.#acquiredAt.size === 0 && nowMs - this.#releasedAt >= IDLE_RETENTION_MS;
  }
}

/** Estimate before any reservation was settled. */
const DEFAULT_RELEASE_MS = 1_000;

interface Reservation {
  amount: number;
  readonly since: number;
}

/**
 * A counter for a budget: the money spent in a period, and the money that exchanges in progress
 * have reserved.
 */
export class SpendBucket implements CounterBucket {
  readonly #reservations = new OpenAddressingMap<Reservation>();
  readonly #estimate = new ReleaseEstimator();
  readonly #endsAt: number;
  #reserved = 0;
  #spent = 0;
  /** The part of the spending that the database has, from which a new bucket would start. */
  #stored = 0;
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  /** Amount that running requests have reserved. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Waiting helps only if there is room without the reservations. */
  msUntilAvailable(claim: BucketClaim, nowMs: number): number {
    this.#usedAt = nowMs;
    if (this.remaining(claim) >= claim.amount) return 0;
    if (this.#spent + claim.amount > claim.limit) return Number.POSITIVE_INFINITY;
    if (this.#estimate.meanMs === 0) return DEFAULT_RELEASE_MS;
    return this.#estimate.msUntilRelease(nowMs, (visit) =>
      this.#reservations.visit(({ since }) => visit(since)),
    );
  }

  /** Amount that is neither spent nor reserved. Negative if more was spent than the limit allows. */
  remaining(claim: BucketClaim): number {
    return claim.enforced ? claim.limit - this.used(claim) : Number.POSITIVE_INFINITY;
  }

  acquire(id: string, { amount }: BucketClaim, nowMs: number): void {
    this.#usedAt = nowMs;
    this.#reserved += amount - (this.#reservations.get(id)?.amount ?? 0);
    this.#reservations.set(id, { amount, since: nowMs });
  }

  /** Increases an existing reservation. Ignores settled ones. */
  extend(id: string, amount: number): void {
    const hold = this.#reservations.get(id);
    if (!hold) return;
    hold.amount += amount;
    this.#reserved += amount;
  }

  settle({ id, actual }: ReservationSettlement, index: number, nowMs: number): void {
    const hold = this.#reservations.get(id);
    if (hold) {
      this.#reserved -= hold.amount;
      this.#reservations.delete(id);
      this.#estimate.record(nowMs - hold.since);
    }
    this.#spent += actual[index] ?? 0;
    this.#usedAt = nowMs;
  }

  /**
   * Records how much of the spending the database has. The bucket is then kept for another minute, in which all
   * processes read this amount from the database.
   */
  recordStored(nanoUsd: number, nowMs: number): void {
    if (nanoUsd <= this.#stored) return;
    this.#stored = nanoUsd;
    this.#usedAt = nowMs;
  }

  used({ minimumUsed }: BucketClaim): number {
    this.#stored = Math.max(this.#stored, minimumUsed);
    this.#spent = Math.max(this.#spent, minimumUsed);
    return this.#spent + this.#reserved;
  }

  resetMs(): number {
    return 0;
  }

  isEmpty(nowMs: number, _second: number, wallMs: number): boolean {
    if (this.#reservations.size > 0) return false;
    if (this.#endsAt !== 0 && this.#endsAt < wallMs) return true;
    return this.#spent <= this.#stored && nowMs - this.#usedAt >= IDLE_RETENTION_MS;
  }
}

/** How long a one-second interval counts in a window, in milliseconds. */
export const WINDOW_INTERVAL_RETENTION_MS = SLIDING_WINDOW_INTERVALS * 1000;

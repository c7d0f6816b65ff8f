import type { Clock } from '../../core/clock.ts';

/** Rendering the boards of an organization takes at most this fraction of the time: one twentieth. */
const SHARE = 1 / 20;
/** The maximum time by which an organization may exceed its share, to show boards that are not cached. */
const MAX_EXCESS_MS = 120_000;

/**
 * Limits the time in which this process renders the boards of each organization, however many boards it has. Anyone can
 * request a public board.
 */
export class BoardRenderTimeLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** The monotonic time at which the share of an organization covers the time that its boards have taken. */
  readonly #coveredAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Records the time that a board of the organization has taken. */
  record(orgId: string, tookMs: number): void {
    const now = this.#clock.monotonic();
    for (const [id, at] of this.#coveredAt) if (at <= now) this.#coveredAt.delete(id);
    this.#coveredAt.set(orgId, now + this.#excessMs(orgId, now) + tookMs / SHARE);
  }

  /** Runs a function that renders a part of a board, and records the time that it took. */
  measure<Result>(orgId: string, render: () => Result): Result {
    const startedAt = this.#clock.monotonic();
    const result = render();
    this.record(orgId, this.#clock.monotonic() - startedAt);
    return result;
  }

  /** Returns whether a board that is cached may be rendered again. */
  mayRefresh(orgId: string): boolean {
    return this.#excessMs(orgId, this.#clock.monotonic()) === 0;
  }

  /** Returns in how many milliseconds a board that is not cached may be rendered; 0 if it may be rendered now. */
  waitMs(orgId: string): number {
    return Math.max(0, this.#excessMs(orgId, this.#clock.monotonic()) - MAX_EXCESS_MS);
  }

  #excessMs(orgId: string, now: number): number {
    return Math.max(0, (this.#coveredAt.get(orgId) ?? now) - now);
  }
}

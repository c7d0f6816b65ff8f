import type { Claim, Taken } from '../ports.ts';

/** Buckets remembered at most; those that have room again go first. */
const MOST_BUCKETS = 10_000;

/**
 * Limits of requests that the shared store said to be full, and until when. A request stays in its window
 * whatever happens to the store, so the word of it is good for that time: who cannot hear it again need not guess.
 */
export class KnownFull {
  readonly #until = new Map<string, number>();

  /** Remembers what a refusal of the store at `nowMs` says. */
  note(
    orgId: string,
    claims: readonly Claim[],
    { refused, retryAfterMs, levels }: Taken,
    nowMs: number,
  ): void {
    if (refused === null || retryAfterMs === null) return;
    const full = claims.filter(
      ({ kind, enforced, amount, limit }, index) =>
        kind !== 'spend' && enforced && (levels[index]?.used ?? 0) + amount > limit,
    );
    const [only] = full;
    // The time told is that of the last of several; tokens may be given back before theirs is over.
    if (full.length !== 1 || !only?.lasting) return;
    if (this.#until.size >= MOST_BUCKETS) this.#makeRoom(nowMs);
    this.#until.set(`${orgId}\n${only.bucket}`, nowMs + retryAfterMs);
  }

  /** Milliseconds until the first of these limits that is known to be full has room; null when none is. */
  waitMs(orgId: string, claims: readonly Claim[], nowMs: number): { index: number; ms: number } | null {
    if (this.#until.size === 0) return null;
    for (const [index, { bucket, lasting, away }] of claims.entries()) {
      if (!lasting || away !== 'local') continue;
      const key = `${orgId}\n${bucket}`;
      const ms = (this.#until.get(key) ?? 0) - nowMs;
      if (ms > 0) return { index, ms };
      this.#until.delete(key);
    }
    return null;
  }

  #makeRoom(nowMs: number): void {
    for (const [key, until] of this.#until) if (until <= nowMs) this.#until.delete(key);
    if (this.#until.size >= MOST_BUCKETS) this.#until.clear();
  }
}

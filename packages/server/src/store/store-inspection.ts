import type { Clock } from '../core/clock.ts';

/** What a store reports about itself. */
export interface StoreInspection {
  /** Product and version, such as `PostgreSQL 15.18`. */
  readonly version: string;
  /** Duration of one round trip in milliseconds. */
  readonly latencyMs: number;
  /** How far the clock of the store is ahead of the clock of this machine, in milliseconds. */
  readonly clockOffsetMs: number;
  /** What a Redis server does when its memory is full, such as `noeviction`; null where it is unknown. */
  readonly evictionPolicy: string | null;
}

const ROUND_TRIPS = 5;

/** Runs `ask` several times. Returns the result and the duration of the fastest run, in milliseconds. */
export async function measureFastest<T>(
  ask: () => Promise<T>,
  clock: Clock,
): Promise<{ readonly result: T; readonly latencyMs: number }> {
  let fastest: { readonly result: T; readonly latencyMs: number } | null = null;
  for (let run = 0; run < ROUND_TRIPS || fastest === null; run += 1) {
    const started = clock.monotonic();
    const result = await ask();
    const latencyMs = clock.monotonic() - started;
    if (fastest === null || latencyMs < fastest.latencyMs) fastest = { result, latencyMs };
  }
  return fastest;
}

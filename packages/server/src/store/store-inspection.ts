import type { Clock } from '../core/clock.ts';

/** What a store (a database or Redis server) reports about itself. */
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

/** A store's response, with its duration and time. */
export interface TimedStoreResponse<T> {
  readonly result: T;
  readonly latencyMs: number;
  /** Wall clock of this machine in the middle of the round trip, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** Runs `ask` several times and returns the fastest response. */
export async function measureFastestResponse<T>(
  ask: () => Promise<T>,
  clock: Clock,
): Promise<TimedStoreResponse<T>> {
  let fastest: TimedStoreResponse<T> | null = null;
  for (let run = 0; run < ROUND_TRIPS || fastest === null; run += 1) {
    const started = clock.monotonic();
    const result = await ask();
    const latencyMs = clock.monotonic() - started;
    const atMs = clock.now() - latencyMs / 2;
    if (fastest === null || latencyMs < fastest.latencyMs) fastest = { result, latencyMs, atMs };
  }
  return fastest;
}

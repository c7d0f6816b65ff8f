import type { Clock } from '../../core/clock.ts';

/**
 * Decides which process may probe a target whose breaker is open. A probe lease expires if the process neither
 * releases nor renews it, so that a terminated process does not block the others.
 */
export interface ProbeLeases {
  /**
   * Returns true for one caller until the lease is released or `ttlMs` have passed. Returns a promise if the
   * store is on the network; only the request that would be the probe waits for it.
   */
  acquire(orgId: string, key: string, ttlMs: number): boolean | Promise<boolean>;
  release(orgId: string, key: string): void;
}

/** Creates probe leases for a single process. */
export function createInMemoryProbeLeases(clock: Clock): ProbeLeases {
  const until = new Map<string, number>();
  return {
    acquire(_, key, ttlMs) {
      const now = clock.monotonic();
      for (const [held, end] of until) if (end <= now) until.delete(held);
      if (until.has(key)) return false;
      until.set(key, now + ttlMs);
      return true;
    },
    release: (_, key) => void until.delete(key),
  };
}

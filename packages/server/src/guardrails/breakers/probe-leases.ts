import type { Clock } from '../../core/clock.ts';

/**
 * Who of the fleet may ask an open target first. A lease that is neither released nor renewed ends by itself,
 * so that a process that dies with it blocks nobody for long.
 */
export interface ProbeLeases {
  /**
   * True for one caller until `ttlMs` have passed or it is released. A store that must be asked over the
   * network answers with a promise, for which the one request waits that would be the probe.
   */
  acquire(orgId: string, key: string, ttlMs: number): boolean | Promise<boolean>;
  release(orgId: string, key: string): void;
}

/** Leases of a fleet of one process. */
export function createMemoryProbeLeases(clock: Clock): ProbeLeases {
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

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { LimitCounters } from '../store-interfaces.ts';
import { InMemoryCounters } from './in-memory-counters.ts';
import { instrumentSharedStoreCounters, type SharedStoreObserver } from './observed-counters.ts';
import type { ReplicaPosition } from './replica-position.ts';
import type { SharedStoreStats } from './shared-store-stats.ts';

export interface OpenCountersOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The number of running processes, and the rank of this one. */
  readonly replicaRank: () => ReplicaPosition;
  /** How long a request may wait for the shared store. */
  readonly timeoutMs: number;
  /** Reads the spending from the database. */
  readonly refreshSpend: () => Promise<void>;
  /** Receives the durations of calls to the shared store. */
  readonly observe: SharedStoreObserver;
}

/** The opened counters, and information about the shared store. */
export interface OpenCountersResult {
  readonly counters: LimitCounters;
  /** Returns null without a shared store. */
  readonly sharedStoreStats: () => SharedStoreStats | null;
  /**
   * Whether a request has just waited for the shared store without a response. It must not wait a second
   * time.
   */
  readonly isSharedStoreSlow: () => boolean;
}

/**
 * Opens the counters that `storage.shared` configures: `memory`, or Redis with a local fallback, so
 * that requests do not wait when Redis is unavailable.
 */
export async function openCounters(
  shared: string,
  options: OpenCountersOptions,
): Promise<OpenCountersResult> {
  if (shared === 'memory')
    return {
      counters: new InMemoryCounters(options.clock),
      sharedStoreStats: () => null,
      isSharedStoreSlow: () => false,
    };
  // Loaded on demand, because a single process needs neither module.
  const { openRedisCounters } = await import('./redis-counters.ts');
  const { ResilientCounters } = await import('./resilient-counters.ts');
  let told = false;
  const onError = (error: Error) => {
    // `ResilientCounters` logs each outage. This line logs the cause once.
    if (!told) options.log.warn({ err: error }, 'connection to the shared store failed; reconnecting');
    told = true;
  };
  const redis = await openRedisCounters({ url: shared, clock: options.clock, onError });
  const remote = instrumentSharedStoreCounters(redis, options);
  const counters = new ResilientCounters({ remote, ...options });
  const sharedStoreIsLate = () => counters.isStoreSlow;
  return { counters, sharedStoreStats: () => counters.stats(), isSharedStoreSlow: sharedStoreIsLate };
}

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { CoordinatorClient } from '../coordinator/coordinator-client.ts';
import type { LimitCounters } from '../store-interfaces.ts';
import { InMemoryCounters } from './in-memory-counters.ts';
import { instrumentSharedStoreCounters, type SharedStoreObserver } from './observed-counters.ts';
import type { SharedStoreCounters } from './redis-counters.ts';
import type { ReplicaPosition } from './replica-position.ts';
import type { SharedStoreStats } from './shared-store-stats.ts';

/**
 * Longer than for Redis, because the supervisor can be slow if all CPUs are busy, but does not fail independently of
 * its processes.
 */
const MIN_SUPERVISOR_TIMEOUT_MS = 1_000;

export interface OpenCountersOptions {
  /** The connection to the other processes of this server. Undefined if there are none. */
  readonly coordinator: CoordinatorClient | undefined;
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
 * Opens the counters that `storage.shared` configures. `memory` is the memory of this process, or of the supervisor if
 * the server has several processes. Shared counters have a local fallback, so that requests do not wait when the
 * shared store is unavailable.
 */
export async function openCounters(
  shared: string,
  options: OpenCountersOptions,
): Promise<OpenCountersResult> {
  if (shared === 'memory' && options.coordinator === undefined)
    return {
      counters: new InMemoryCounters(options.clock, options),
      sharedStoreStats: () => null,
      isSharedStoreSlow: () => false,
    };
  // Loaded on demand, because a single process needs none of these modules.
  const { ResilientCounters } = await import('./resilient-counters.ts');
  const remote = instrumentSharedStoreCounters(await openSharedCounters(shared, options), options);
  const minimumMs = shared === 'memory' ? MIN_SUPERVISOR_TIMEOUT_MS : 0;
  const timeoutMs = Math.max(options.timeoutMs, minimumMs);
  const counters = new ResilientCounters({ remote, ...options, timeoutMs });
  const sharedStoreIsLate = () => counters.isStoreSlow;
  return { counters, sharedStoreStats: () => counters.stats(), isSharedStoreSlow: sharedStoreIsLate };
}

async function openSharedCounters(
  shared: string,
  { coordinator, clock, log }: OpenCountersOptions,
): Promise<SharedStoreCounters> {
  if (shared === 'memory' && coordinator !== undefined) {
    const { CoordinatedCounters } = await import('./coordinated-counters.ts');
    return new CoordinatedCounters(coordinator);
  }
  const { openRedisCounters } = await import('./redis-counters.ts');
  // `ResilientCounters` logs each outage. This line logs its cause.
  const onError = (error: Error) =>
    log.warn({ err: error }, 'connection to the shared store failed; reconnecting');
  return openRedisCounters({ url: shared, clock, onError });
}

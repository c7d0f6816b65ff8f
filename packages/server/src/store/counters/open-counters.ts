import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Counters } from '../ports.ts';
import { MemoryCounters } from './memory-counters.ts';
import type { ReplicaRank } from './replica-share.ts';
import type { SharedStoreStats } from './shared-store-stats.ts';

export interface OpenCountersOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** This process among those at work now. */
  readonly replicaRank: () => ReplicaRank;
  /** What a request may wait for a shared store. */
  readonly timeoutMs: number;
  /** Reads what the database knows to be spent. */
  readonly refreshSpend: () => Promise<void>;
}

export interface OpenedCounters {
  readonly counters: Counters;
  /** Null where no store is shared. */
  readonly sharedStoreStats: () => SharedStoreStats | null;
  /** Whether a shared store just let somebody wait in vain: whoever asked it twice would wait twice. */
  readonly isSharedStoreSlow: () => boolean;
}

/** Counters as `storage.shared` names them: `memory`, or Redis with what keeps requests from waiting for it. */
export async function openCounters(shared: string, options: OpenCountersOptions): Promise<OpenedCounters> {
  if (shared === 'memory')
    return {
      counters: new MemoryCounters(options.clock),
      sharedStoreStats: () => null,
      isSharedStoreSlow: () => false,
    };
  // Loaded on demand: one process needs neither.
  const { openRedisCounters } = await import('./redis-counters.ts');
  const { ResilientCounters } = await import('./resilient-counters.ts');
  let told = false;
  const onError = (error: Error) => {
    // One line per outage is `ResilientCounters`' to say; this one names the cause once.
    if (!told) options.log.warn({ err: error }, 'connection to the shared store failed');
    told = true;
  };
  const remote = await openRedisCounters({ url: shared, clock: options.clock, onError });
  const counters = new ResilientCounters({ remote, ...options });
  const sharedStoreIsLate = () => counters.isStoreSlow;
  return { counters, sharedStoreStats: () => counters.stats(), isSharedStoreSlow: sharedStoreIsLate };
}

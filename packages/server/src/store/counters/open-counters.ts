import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Counters } from '../ports.ts';
import { MemoryCounters } from './memory.ts';
import type { Place } from './share.ts';
import type { SharedStoreFigures } from './shared-store-figures.ts';

export interface OpenCountersOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** This process among those at work now. */
  readonly place: () => Place;
  /** What a request may wait for a shared store. */
  readonly timeoutMs: number;
}

export interface OpenedCounters {
  readonly counters: Counters;
  /** Null where no store is shared. */
  readonly sharedStore: () => SharedStoreFigures | null;
  /** Whether a shared store just let somebody wait in vain: whoever asked it twice would wait twice. */
  readonly sharedStoreIsLate: () => boolean;
}

/** Counters as `storage.shared` names them: `memory`, or Redis with what keeps requests from waiting for it. */
export async function openCounters(shared: string, options: OpenCountersOptions): Promise<OpenedCounters> {
  if (shared === 'memory')
    return {
      counters: new MemoryCounters(options.clock),
      sharedStore: () => null,
      sharedStoreIsLate: () => false,
    };
  // Loaded on demand: one process needs neither.
  const { openRedisCounters } = await import('./redis.ts');
  const { ResilientCounters } = await import('./resilient.ts');
  let told = false;
  const onError = (error: Error) => {
    // One line per outage is `ResilientCounters`' to say; this one names the cause once.
    if (!told) options.log.warn({ err: error }, 'the connection to the shared store failed');
    told = true;
  };
  const remote = await openRedisCounters({ url: shared, clock: options.clock, onError });
  const counters = new ResilientCounters({ remote, ...options });
  const sharedStoreIsLate = () => counters.isLate;
  return { counters, sharedStore: () => counters.figures(), sharedStoreIsLate };
}

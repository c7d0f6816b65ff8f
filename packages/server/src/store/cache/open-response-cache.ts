import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { SharedStoreObserver } from '../counters/observed-counters.ts';
import { InMemoryResponseCache } from './in-memory-response-cache.ts';
import { openRedisResponseCache } from './redis-response-cache.ts';
import type { ResponseCache } from './response-cache.ts';

export interface OpenResponseCacheOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns whether a request has just waited for the shared store without a response. */
  readonly isStoreSlow: () => boolean;
  /** Receives the durations of calls to the shared store. */
  readonly observe: SharedStoreObserver;
}

/**
 * Opens the response cache.
 * @param shared The value of `storage.shared`: `memory` for a cache in this process, or the URL of the Redis
 * server whose cache all processes share
 */
export async function openResponseCache(
  shared: string,
  { clock, log, isStoreSlow, observe }: OpenResponseCacheOptions,
): Promise<ResponseCache> {
  if (shared === 'memory') return new InMemoryResponseCache(clock);
  const onAway = (error: unknown) =>
    log.warn({ err: error }, 'shared response cache is not available; requests are sent to providers');
  return openRedisResponseCache({ url: shared, clock, onUnavailable: onAway, isStoreSlow, observe });
}

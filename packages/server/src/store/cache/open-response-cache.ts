import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { MemoryResponseCache } from './memory-response-cache.ts';
import { openRedisResponseCache } from './redis-response-cache.ts';
import type { ResponseCache } from './response-cache.ts';

export interface OpenResponseCacheOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the shared store just let somebody else wait in vain. */
  readonly isStoreSlow: () => boolean;
}

/** Opens what `storage.shared` names: `memory`, or the URL of the Redis that all processes share. */
export async function openResponseCache(
  shared: string,
  { clock, log, isStoreSlow }: OpenResponseCacheOptions,
): Promise<ResponseCache> {
  if (shared === 'memory') return new MemoryResponseCache(clock);
  const onAway = (error: unknown) =>
    log.warn({ err: error }, 'shared response cache is not available; requests are sent to providers');
  return openRedisResponseCache({ url: shared, clock, onUnavailable: onAway, isStoreSlow });
}

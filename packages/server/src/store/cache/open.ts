import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { AnswerCache } from './answer-cache.ts';
import { MemoryAnswerCache } from './memory.ts';
import { openRedisAnswerCache } from './redis.ts';

export interface AnswerCacheParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the shared store just let somebody else wait in vain. */
  readonly isLate: () => boolean;
}

/** Opens what `storage.shared` names: `memory`, or the URL of the Redis that all processes share. */
export async function openAnswerCache(
  shared: string,
  { clock, log, isLate }: AnswerCacheParts,
): Promise<AnswerCache> {
  if (shared === 'memory') return new MemoryAnswerCache(clock);
  const onAway = (error: unknown) =>
    log.warn({ err: error }, 'the shared answer cache is away; providers are asked instead');
  return openRedisAnswerCache({ url: shared, clock, onAway, isLate });
}

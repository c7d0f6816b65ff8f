import { cacheState } from '@floe/contract/api/cache';
import { topOf } from '../../analytics/charts.ts';
import { purgesOf } from '../../store/cache-purges.ts';
import { HOUR_MS } from '../../store/rollups/gather.ts';
import { readVerb, type Verb } from '../verb.ts';

/** An org's cache as the running configuration has it; null while it is off. */
export type CacheOf = (orgId: string) => {
  readonly ttlMs: number;
  readonly scope: 'org' | 'key';
} | null;

/** What this process keeps for an org; null where nobody counts it. */
export type CacheSizeOf = (orgId: string) => { readonly entries: number; readonly bytes: number } | null;

export function getCache(cacheOf: CacheOf, sizeOf: CacheSizeOf): Verb {
  return readVerb({
    name: 'cache.get',
    method: 'GET',
    path: '/api/management/cache',
    scope: 'management',
    summary: 'Read how answers are kept for equal requests',
    answer: cacheState,
    async run({ orgId, reader, clock }) {
      const rules = cacheOf(orgId);
      const purges = await purgesOf(reader, orgId);
      const to = Math.ceil(clock.now() / HOUR_MS) * HOUR_MS;
      const day = { orgId, from: to - 24 * HOUR_MS, to, unit: 'hour' } as const;
      const outcomes = await topOf(reader, { ...day, groupBy: 'cache', order: 'requests', limit: 10 });
      const requests = (outcome: string) =>
        outcomes.find(({ value }) => value === outcome)?.figures.requests ?? 0;
      const size = sizeOf(orgId);
      return {
        enabled: rules !== null,
        ttl_seconds: rules && rules.ttlMs / 1000,
        scope: rules?.scope ?? null,
        last_day: {
          hits: requests('hit'),
          misses: requests('miss'),
          bypassed: requests('bypass') + requests('refresh'),
        },
        entries: size?.entries ?? null,
        bytes: size?.bytes ?? null,
        purges,
      };
    },
  });
}

import { cacheStats } from '@floe/contract/api/cache';
import { toDecimalUsd } from '@floe/contract/decimal-usd';
import { queryTopValues } from '../../analytics/charts.ts';
import { HOUR_MS } from '../../store/rollups/rollup-accumulator.ts';
import { defineReadOperation, type Operation } from '../operation.ts';

/**
 * Returns the size of an organization's response cache in this process. Null if the process has no
 * cache.
 */
export type GetCacheSize = (orgId: string) => { readonly entries: number; readonly bytes: number } | null;

/**
 * Defines the operation that returns the response cache's hit rate and size (`GET
 * /api/management/cache/stats`).
 */
export function defineGetCacheStatsOperation(getCacheSize: GetCacheSize): Operation {
  return defineReadOperation({
    name: 'cache.stats',
    method: 'GET',
    path: '/api/management/cache/stats',
    scope: 'management',
    summary: 'Read the hits and misses of the response cache in the last 24 hours, and the size of the cache',
    answer: cacheStats,
    async run({ orgId, reader, clock }) {
      const to = Math.ceil(clock.now() / HOUR_MS) * HOUR_MS;
      const day = { orgId, from: to - 24 * HOUR_MS, to, unit: 'hour' } as const;
      const outcomes = await queryTopValues(reader, {
        ...day,
        groupBy: 'cache',
        order: 'requests',
        limit: 10,
      });
      const of = (outcome: string) => outcomes.find(({ value }) => value === outcome)?.figures;
      const requests = (outcome: string) => of(outcome)?.requests ?? 0;
      const saved = of('hit')?.saved_nano_usd ?? 0;
      const size = getCacheSize(orgId);
      return {
        last_day: {
          hits: requests('hit'),
          misses: requests('miss'),
          saved_nano_usd: saved,
          saved_usd: toDecimalUsd(saved),
          bypassed: requests('bypass') + requests('refresh'),
        },
        entries: size?.entries ?? null,
        bytes: size?.bytes ?? null,
      };
    },
  });
}

import * as z from 'zod';
import { configEntryFields } from './entries.ts';
import { nanoUsd, usd } from './money.ts';

/** The answer cache of an org. */
export const cacheResource = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Whether equal requests are answered from earlier answers; `cache` of a route says otherwise for its own.',
      ),
    ttl_seconds: z.int().describe('How long an answer may be reused.'),
    scope: z.enum(['org', 'key']).describe('Who shares an answer.'),
    purges: z.int().describe('How often the cache was purged.'),
    ...configEntryFields,
  })
  .meta({ id: 'Cache' });

/** How often an org's cache answers, and how much it keeps. */
export const cacheStats = z
  .strictObject({
    last_day: z
      .strictObject({
        hits: z.int(),
        misses: z.int(),
        saved_nano_usd: nanoUsd.describe('What the hits would have cost.'),
        saved_usd: usd,
        bypassed: z.int().describe('Requests that bypassed or refreshed the cache.'),
      })
      .describe('Requests of the last 24 hours, by whole hours.'),
    entries: z.int().nullable().describe('Answers this process keeps; null where Redis keeps them.'),
    bytes: z.int().nullable(),
  })
  .meta({ id: 'CacheStats' });

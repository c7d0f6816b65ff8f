import * as z from 'zod';
import { configEntryFields } from './entries.ts';
import { nanoUsd, usd } from './money.ts';

/** Settings of an org's response cache. */
export const cacheResource = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Whether Floe responds to an equal request with a cached response. `cache` of a route overrides it.',
      ),
    ttl_seconds: z.int().describe('How long a cached response can be reused, in seconds.'),
    scope: z
      .enum(['org', 'key'])
      .describe(
        'Which requests share cached responses: all requests of the organization, or only those with the same platform key.',
      ),
    purges: z.int().describe('Number of times the cache was purged.'),
    ...configEntryFields,
  })
  .meta({ id: 'Cache' });

/** Hit rate and size of an org's response cache. */
export const cacheStats = z
  .strictObject({
    last_day: z
      .strictObject({
        hits: z.int(),
        misses: z.int(),
        saved_nano_usd: nanoUsd.describe('Cost that responses from the cache saved.'),
        saved_usd: usd,
        bypassed: z.int().describe('Requests that bypassed or refreshed the cache.'),
      })
      .describe('Requests of the last 24 hours, rounded to whole hours.'),
    entries: z
      .int()
      .nullable()
      .describe('Number of cached responses in this process. `null` if Redis stores them.'),
    bytes: z.int().nullable(),
  })
  .meta({ id: 'CacheStats' });

import * as z from 'zod';
import { nanoUsd, usd } from './money.ts';
import { resourceMetadataFields } from './resource-fields.ts';

/** The settings of an organization's response cache. */
export const cacheSettingsResource = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Whether Floe returns cached responses for identical requests. A route’s `cache` setting overrides this setting.',
      ),
    ttl_seconds: z.int().describe('How long a cached response is valid, in seconds.'),
    scope: z
      .enum(['org', 'key'])
      .describe(
        'Whether all keys in the organization share cached responses (`org`), or each key has its own (`key`).',
      ),
    purges: z.int().describe('Number of times the cache was purged.'),
    ...resourceMetadataFields,
  })
  .meta({ id: 'Cache' });

/** The hit rate and size of an organization's response cache. */
export const cacheStats = z
  .strictObject({
    last_day: z
      .strictObject({
        hits: z.int(),
        misses: z.int(),
        saved_nano_usd: nanoUsd.describe('Amount that cached responses saved.'),
        saved_usd: usd,
        bypassed: z.int().describe('Number of requests that bypassed or refreshed the cache.'),
      })
      .describe('Requests in the current hour and in the 23 hours before it.'),
    entries: z
      .int()
      .nullable()
      .describe(
        'Number of cached responses in the Floe process that returns this response. `null` if cached responses are in the shared store.',
      ),
    bytes: z.int().nullable(),
  })
  .meta({ id: 'CacheStats' });

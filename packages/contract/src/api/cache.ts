import * as z from 'zod';
import { entryShown } from './entries.ts';

/** The answer cache of an org. */
export const cacheState = z
  .strictObject({
    enabled: z.boolean().describe('Whether equal requests are answered from earlier answers.'),
    ttl_seconds: z.int().nullable().describe('How long an answer may be reused; null while it is off.'),
    scope: z.enum(['org', 'key']).nullable().describe('Who shares an answer; null while it is off.'),
    purges: z.int().describe('How often everything kept was thrown away.'),
    ...entryShown,
  })
  .meta({ id: 'Cache' });

/** How often an org's cache answers, and how much it keeps. */
export const cacheStats = z
  .strictObject({
    last_day: z
      .strictObject({
        hits: z.int(),
        misses: z.int(),
        bypassed: z
          .int()
          .describe('Requests that asked not to be answered from it, or to renew what it holds.'),
      })
      .describe('Requests of the last 24 hours, by whole hours.'),
    entries: z.int().nullable().describe('Answers this process keeps; null where Redis keeps them.'),
    bytes: z.int().nullable(),
  })
  .meta({ id: 'CacheStats' });

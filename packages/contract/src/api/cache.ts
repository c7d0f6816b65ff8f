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

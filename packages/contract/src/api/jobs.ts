import * as z from 'zod';
import { jsonValueField } from '../json-value.ts';
import { timestamp } from './page.ts';

export const JOB_STATES = ['running', 'done', 'failed', 'cancelled', 'lost'] as const;

/** Work that takes longer than a request, and how far it is. */
export const jobResource = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('What it does, such as `policies.dry-run`.'),
    state: z
      .enum(JOB_STATES)
      .describe(
        '`lost`: the process that worked on it ended, or has not been heard of for 30 seconds. Start it again.',
      ),
    done: z.int().describe('Steps that are over.'),
    total: z.int().nullable().describe('Total number of steps. Null while unknown.'),
    cancel_requested: z.boolean(),
    created_by: z.string(),
    created_at: timestamp,
    ended_at: timestamp.nullable(),
    result: jsonValueField().describe('What came of it; null until it is done.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Job' });

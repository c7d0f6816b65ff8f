import * as z from 'zod';
import { analyticsSummary } from './charts.ts';
import { timestamp } from './page.ts';

/** What can need a person, in the order in which the overview lists it. */
export const ATTENTION_KINDS = [
  'config_rejected',
  'store_unavailable',
  'rows_pending',
  'credential_rejected',
  'breaker_open',
  'breaker_forced',
  'monitor_failing',
  'budget_used',
  'beats_rejected',
  'key_expires',
] as const;

export const orgOverviewQuery = z.strictObject({
  from: timestamp.optional().describe('Absent: 24 hours before `to`.'),
  to: timestamp.optional().describe('Absent: now.'),
});

const attention = z.strictObject({
  kind: z.enum(ATTENTION_KINDS),
  severity: z.enum(['critical', 'warning', 'notice']),
  subject: z
    .strictObject({ kind: z.string(), id: z.string(), name: z.string() })
    .describe('What it is about, and where a link leads: the kind of resource and its id.'),
  since: timestamp.nullable().describe('Null when unknown.'),
  text: z.string(),
});

/** How the org is, and what needs somebody. */
export const orgOverview = z
  .strictObject({
    summary: analyticsSummary,
    monitors: z.strictObject({
      healthy: z.int(),
      failing: z.int(),
      waiting: z.int(),
      paused: z.int(),
    }),
    stores: z.strictObject({
      database: z.literal('ok').describe('Without it there would be no answer.'),
      shared: z.enum(['ok', 'unavailable', 'memory']).describe('`memory`: this process counts for itself.'),
      rows_pending: z.int().describe('Requests that are on disk and not yet in the database.'),
    }),
    attention: z.array(attention).describe('Most urgent first; empty when nothing needs anybody.'),
    has_more: z.boolean().describe('There is more of some kind than is listed.'),
  })
  .meta({ id: 'Overview' });
export type OverviewAttention = z.output<typeof attention>;

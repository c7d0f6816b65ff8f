import * as z from 'zod';
import { analyticsSummary } from './charts.ts';
import { timestamp } from './page.ts';

/** The kinds of items that need attention, in the order in which the overview shows them. */
export const ATTENTION_ITEM_KINDS = [
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
  from: timestamp.optional().describe('Start of the time range. Defaults to 24 hours before `to`.'),
  to: timestamp.optional().describe('End of the time range, exclusive. Defaults to now.'),
});

const attention = z.strictObject({
  kind: z.enum(ATTENTION_ITEM_KINDS),
  severity: z.enum(['critical', 'warning', 'notice']),
  subject: z
    .strictObject({ kind: z.string(), id: z.string(), name: z.string() })
    .describe('Resource that needs attention: its kind, id and name.'),
  since: timestamp.nullable().describe('Time at which the problem started. `null` if the time is unknown.'),
  text: z.string(),
});

/** The organization's health, and the items that need attention. */
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
      database: z.literal('ok').describe('Always `ok`: without the database, the request fails.'),
      shared: z
        .enum(['ok', 'unavailable', 'memory'])
        .describe(
          'Status of the shared counters, which are in the shared store or, if `server.processes` is greater than 1, in the supervisor. `memory` means that there are no shared counters, so the Floe process uses its own.',
        ),
      rows_pending: z
        .int()
        .describe(
          'Number of requests that the Floe process returning this response has stored on disk but not yet inserted into the database. Includes the requests of all organizations.',
        ),
    }),
    attention: z
      .array(attention)
      .describe('Problems that need attention, ordered by kind. At most 20 of each kind.'),
    has_more: z.boolean().describe('Whether there are more problems of a kind than are listed.'),
  })
  .meta({ id: 'Overview' });
export type OverviewAttentionItem = z.output<typeof attention>;

import * as z from 'zod';
import { MONITOR_STATUSES } from './monitors.ts';
import { rangeQuery, timestamp } from './page.ts';

export const CHECK_STATUSES = ['ok', 'missed', 'failed', 'unknown', 'started', 'logged'] as const;

const checkFilters = {
  status: z.enum(CHECK_STATUSES).optional().describe('Absent: all.'),
};

export const checkListQuery = rangeQuery.extend(checkFilters);

/** One beat, one missed beat, or a promise that nobody could judge. */
export const checkResource = z
  .strictObject({
    id: z.string(),
    status: z.enum(CHECK_STATUSES),
    error: z.string().nullable(),
    expected_at: timestamp.nullable(),
    detected_at: timestamp,
    received_at: timestamp.nullable(),
    duration_ms: z.int().nullable().describe('Time from start to end. Null unless the job reported both.'),
    metadata: z.json(),
    missed_count: z.int().describe('Greater than 1 when several misses were detected together.'),
  })
  .meta({ id: 'Check' });
export type CheckResource = z.output<typeof checkResource>;

export const checkExportQuery = z.strictObject({
  format: z.enum(['csv', 'ndjson']).default('csv').describe('Format of the file.'),
  from: rangeQuery.shape.from,
  to: rangeQuery.shape.to,
  ...checkFilters,
});

export const historyRangeQuery = z.strictObject({
  from: timestamp.optional().describe('Absent: 30 days before `to`.'),
  to: timestamp.optional().describe('Absent: now.'),
});

export const periodListQuery = rangeQuery;

/** A stretch of a monitor's history, newest first in lists. */
export const periodResource = z
  .strictObject({
    status: z.enum([...MONITOR_STATUSES, 'unknown']).describe('`unknown`: Floe was not there to see.'),
    started_at: timestamp,
    ended_at: timestamp.nullable().describe('Null for the current period.'),
    reason: z.string(),
  })
  .meta({ id: 'Period' });

export const uptimeReport = z
  .strictObject({
    from: timestamp,
    to: timestamp,
    uptime_ratio: z
      .number()
      .nullable()
      .describe('Healthy time by healthy and failing time; null when there was neither.'),
    healthy_seconds: z.number(),
    downtime_seconds: z.number(),
    unknown_seconds: z.number().describe('Time in which Floe could not see; it counts for neither side.'),
    incidents: z.int().describe('Failing periods that touch the range.'),
  })
  .meta({ id: 'Uptime' });

/** Spans in which no process of Floe was there: nothing could be heard or served. Oldest first. */
export const gapList = z
  .strictObject({ data: z.array(z.strictObject({ started_at: timestamp, ended_at: timestamp })) })
  .meta({ id: 'Gaps' });

export const monitorSummaryQuery = z.strictObject({
  monitors: z
    .string()
    .max(8_000)
    .default('')
    .describe('Ids with commas between them, at most 100, whose recent history to tell.'),
});

/** How many monitors are in each state, and how some of them did lately. */
export const monitorSummary = z
  .strictObject({
    counts: z.strictObject({ failing: z.int(), waiting: z.int(), paused: z.int(), healthy: z.int() }),
    recent: z
      .array(
        z.strictObject({
          id: z.string(),
          uptime_ratio: z.number().nullable().describe('Of the last 30 days; null when nothing was judged.'),
          intervals: z
            .array(
              z.strictObject({
                started_at: timestamp,
                healthy_seconds: z.number(),
                failing_seconds: z.number(),
                unknown_seconds: z.number(),
                paused_seconds: z.number(),
              }),
            )
            .describe('Half hours of the last day, oldest first; 48 of them.'),
        }),
      )
      .describe('Of those that were asked for and exist.'),
  })
  .meta({ id: 'MonitorStatusSummary' });
export type MonitorSummary = z.output<typeof monitorSummary>;

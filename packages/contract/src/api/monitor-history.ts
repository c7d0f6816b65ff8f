import * as z from 'zod';
import { createJsonValueField } from '../json-value.ts';
import { MONITOR_STATUSES } from './monitors.ts';
import { timeRangeListQuery, timestamp } from './page.ts';

/** The statuses of a check. */
export const CHECK_STATUSES = ['ok', 'missed', 'failed', 'unknown', 'started', 'logged'] as const;

const checkFilters = {
  status: z.enum(CHECK_STATUSES).optional().describe('Only checks with this status.'),
};

export const checkListQuery = timeRangeListQuery.extend(checkFilters);

/**
 * The result of an expected or received beat. A check with the status `missed` can represent several missed beats
 * (`missed_count`). The status is `unknown` if a beat was expected in a gap.
 */
export const checkResource = z
  .strictObject({
    id: z.string(),
    status: z.enum(CHECK_STATUSES),
    error: z.string().nullable(),
    expected_at: timestamp.nullable(),
    detected_at: timestamp,
    received_at: timestamp.nullable(),
    duration_ms: z
      .int()
      .nullable()
      .describe(
        'Time from the start to the end of the run, in milliseconds. `null` unless the job reported both within 72 hours, with the same run id or without one.',
      ),
    metadata: createJsonValueField(),
    missed_count: z
      .int()
      .describe(
        'Number of missed beats. 0 unless `status` is `missed`. Greater than 1 if Floe detected several missed beats together.',
      ),
  })
  .meta({ id: 'Check' });
export type CheckResource = z.output<typeof checkResource>;

export const checkExportQuery = z.strictObject({
  format: z.enum(['csv', 'ndjson']).default('csv').describe('Format of the file.'),
  from: timeRangeListQuery.shape.from,
  to: timeRangeListQuery.shape.to,
  ...checkFilters,
});

export const monitorHistoryRangeQuery = z.strictObject({
  from: timestamp.optional().describe('Start of the time range. Defaults to 30 days before `to`.'),
  to: timestamp.optional().describe('End of the time range, exclusive. Defaults to now.'),
});

export const monitorPeriodListQuery = timeRangeListQuery.extend(monitorHistoryRangeQuery.shape);

/** A time span in which a monitor had one status. Lists are sorted newest first. */
export const monitorPeriodResource = z
  .strictObject({
    status: z
      .enum([...MONITOR_STATUSES, 'unknown'])
      .describe(
        'Status of the monitor in this period. `unknown` means that no Floe process could accept beats.',
      ),
    started_at: timestamp,
    ended_at: timestamp.nullable().describe('End of the period. `null` for the current period.'),
    reason: z.string(),
  })
  .meta({ id: 'Period' });

/** The uptime and downtime of a monitor in a time range. */
export const uptimeReport = z
  .strictObject({
    from: timestamp.describe(
      'Start of the evaluated time range. Later than requested if the monitor had more than 20,000 status changes, because Floe evaluates only the most recent ones.',
    ),
    to: timestamp,
    uptime_ratio: z
      .number()
      .nullable()
      .describe(
        'Healthy time divided by the sum of healthy and failing time. `null` if the monitor was neither healthy nor failing.',
      ),
    healthy_seconds: z.number(),
    downtime_seconds: z.number(),
    unknown_seconds: z
      .number()
      .describe(
        'Time in which no Floe process could accept beats. This time counts neither as uptime nor as downtime.',
      ),
    incidents: z.int().describe('Number of failing periods that overlap the range.'),
  })
  .meta({ id: 'Uptime' });

/** The time spans in which no Floe process could accept beats, oldest first. */
export const gapList = z
  .strictObject({ data: z.array(z.strictObject({ started_at: timestamp, ended_at: timestamp })) })
  .meta({ id: 'Gaps' });

export const monitorStatusSummaryQuery = z.strictObject({
  monitors: z
    .string()
    .max(8_000)
    .default('')
    .describe('Ids of the monitors whose recent history Floe returns, comma-separated. At most 100.'),
});

/** The number of monitors with each status, and the recent history of some of them. */
export const monitorStatusSummary = z
  .strictObject({
    counts: z.strictObject({ failing: z.int(), waiting: z.int(), paused: z.int(), healthy: z.int() }),
    recent: z
      .array(
        z.strictObject({
          id: z.string(),
          uptime_ratio: z
            .number()
            .nullable()
            .describe('Uptime over the last 30 days. `null` if the monitor was neither healthy nor failing.'),
          history_since: timestamp
            .nullable()
            .describe(
              'Start of the evaluated history of the monitor. `null` if the history is complete. If the requested monitors had more than 20,000 status changes in total, Floe omits the oldest changes of the monitors with the most changes.',
            ),
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
            .describe('The last 24 hours in 48 intervals of 30 minutes, oldest first.'),
        }),
      )
      .describe('History of the requested monitors that exist.'),
  })
  .meta({ id: 'MonitorStatusSummary' });
export type MonitorStatusSummary = z.output<typeof monitorStatusSummary>;

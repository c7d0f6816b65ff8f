import * as z from 'zod';
import { labelField, labelListField, minutesField, slugField } from '../config/fields.ts';
import { MONITOR_FIELDS, ScheduleSchema } from '../config/monitoring.ts';
import { jsonValueField } from '../json-value.ts';
import { configSource } from './config-source.ts';
import { createListQuery, LIST_ORDERS, rangeQuery, timestamp } from './page.ts';

export const MONITOR_STATUSES = ['waiting', 'healthy', 'failing', 'paused'] as const;
export const CHECK_STATUSES = ['ok', 'missed', 'failed', 'unknown', 'started', 'logged'] as const;

const { name, description, ...plain } = MONITOR_FIELDS;

const settings = {
  name,
  description,
  expected_interval_minutes: minutesField(0.5).nullable().describe('Either this or `schedule`.'),
  schedule: ScheduleSchema.nullable().describe('Either this or `expected_interval_minutes`.'),
  tags: labelListField().describe('Labels for filters, channels and maintenance windows.'),
  channels: labelListField().describe(
    'Names of the channels that receive alerts of this monitor. Empty: all channels that match.',
  ),
  paused: z.boolean().describe('A paused monitor records beats and misses nothing.'),
  paused_until: timestamp.nullable().describe('The pause ends automatically at this time.'),
  muted_until: timestamp.nullable().describe('No messages until then; states are still recorded.'),
  ...plain,
  fail_counts_as_miss: z
    .boolean()
    .describe(
      '`true`: a failure that the job reports counts as one missed beat. `false`: it fails the monitor immediately.',
    ),
  first_beat_due_minutes: minutesField(0.5)
    .nullable()
    .describe('When a monitor that never beat is reported. Null: after interval and grace.'),
};

const graceSource = z.enum(['monitor', 'org']).describe('Who set the grace in force.');

const readOnly = {
  status: z.enum(MONITOR_STATUSES),
  last_beat_at: timestamp.nullable(),
  next_due_at: timestamp.nullable().describe('When the next beat is due.'),
  deadline_at: timestamp.nullable().describe('`next_due_at` plus grace: a beat is on time until then.'),
  failing_since: timestamp.nullable(),
  beat_url: z
    .string()
    .nullable()
    .describe(
      'Secret address for beats without headers; null for keys without `monitoring` or `management`.',
    ),
  source: configSource,
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A monitor in responses. */
export const monitorResource = z
  .strictObject({
    id: z.string().describe('What jobs send as `monitor_id`.'),
    kind: z.literal('heartbeat'),
    ...settings,
    grace_period_minutes: minutesField(0).describe('The grace in force.'),
    grace_source: graceSource,
    ...readOnly,
  })
  .meta({ id: 'Monitor' });
export type Monitor = z.output<typeof monitorResource>;

const optional = {
  ...z.strictObject(settings).partial().shape,
  kind: z.enum(['heartbeat', 'push']).optional().describe('`push` means the same as `heartbeat`.'),
  grace_period_minutes: minutesField(0).nullable().optional().describe('Null: the org’s default.'),
};

/** Absent fields have their default. The rules of floe.yaml apply. */
export const monitorCreation = z.strictObject({
  id: slugField().optional().describe('Absent: one is made.'),
  ...optional,
});

/** Absent fields remain. Null clears a field. Setting the interval removes the schedule, and the reverse. */
export const monitorPatch = z.strictObject(optional);

/** Accepts the response of `GET`, including read-only fields. Absent settings return to their default. */
export const monitorReplacement = z.strictObject({
  id: z.string().optional().describe('The id of the path; an id never changes.'),
  ...optional,
  grace_source: graceSource
    .optional()
    .describe('`org` with the org’s own value of `grace_period_minutes`: the org’s default is followed.'),
  ...z.strictObject(readOnly).partial().shape,
});

/** Maximum number of monitors in one request. */
export const MAX_BULK_MONITORS = 100;

export const monitorListQuery = createListQuery().extend({
  sort: z
    .enum(['urgency', ...LIST_ORDERS])
    .default('newest')
    .describe(
      '`urgency`: failing first, the longest at the top, then waiting, then by the nearest deadline, paused last.',
    ),
  tag: labelField().optional().describe('Only monitors that carry it.'),
  status: z.enum(MONITOR_STATUSES).optional().describe('Only monitors with this status.'),
  channel: labelField().optional().describe('Only monitors that name this channel.'),
  source: z.enum(['file', 'console']).optional().describe('Only those of floe.yaml, or only the others.'),
  ids: z
    .string()
    .min(1)
    .max(8_000)
    .optional()
    .describe(`Only these, with commas between them; at most ${MAX_BULK_MONITORS}.`),
});

/** One change for several monitors. Absent fields remain. */
export const bulkMonitorPatch = z.strictObject({
  ids: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(MAX_BULK_MONITORS)
    .describe(`Ids of the monitors, at most ${MAX_BULK_MONITORS}.`),
  paused: settings.paused.optional(),
  paused_until: settings.paused_until.optional(),
  muted_until: settings.muted_until.optional(),
  channels: settings.channels.optional(),
  add_tags: settings.tags.optional().describe('Tags to add to each monitor.'),
  remove_tags: settings.tags.optional().describe('Tags to remove from each monitor.'),
});

/** The result of a bulk change for each monitor. */
export const bulkMonitorResult = z
  .strictObject({
    changed: z.array(z.string()),
    unchanged: z.array(z.string()).describe('They were like that already.'),
    failed: z.array(z.strictObject({ id: z.string(), code: z.string(), message: z.string() })),
  })
  .meta({ id: 'MonitorsChanged' });
export type BulkMonitorResult = z.output<typeof bulkMonitorResult>;

export const monitorPauseInput = z
  .strictObject({
    until: timestamp.nullable().optional().describe('Leave out to pause until the monitor is resumed.'),
  })
  .optional();

const checkFilters = {
  status: z.enum(CHECK_STATUSES).optional().describe('Absent: all.'),
};

export const checkListQuery = rangeQuery.extend(checkFilters);

/** One beat, one missed beat, or one expected beat whose outcome is unknown. */
export const checkResource = z
  .strictObject({
    id: z.string(),
    status: z.enum(CHECK_STATUSES),
    error: z.string().nullable(),
    expected_at: timestamp.nullable(),
    detected_at: timestamp,
    received_at: timestamp.nullable(),
    duration_ms: z.int().nullable().describe('Time from start to end. Null unless the job reported both.'),
    metadata: jsonValueField(),
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

/** Time range of the history of a monitor. */
export const historyRangeQuery = z.strictObject({
  from: timestamp.optional().describe('Absent: 30 days before `to`.'),
  to: timestamp.optional().describe('Absent: now.'),
});

export const periodListQuery = rangeQuery;

/** A period in a monitor's history. Lists are newest first. */
export const periodResource = z
  .strictObject({
    status: z.enum([...MONITOR_STATUSES, 'unknown']).describe('`unknown`: Floe was not there to see.'),
    started_at: timestamp,
    ended_at: timestamp.nullable().describe('Null for the current period.'),
    reason: z.string(),
  })
  .meta({ id: 'Period' });

/** Uptime of a monitor in a time range. */
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

/** Gaps: times in which no Floe process was running. Oldest first. */
export const gapList = z
  .strictObject({ data: z.array(z.strictObject({ started_at: timestamp, ended_at: timestamp })) })
  .meta({ id: 'Gaps' });

export const schedulePreviewInput = z.strictObject({
  expected_interval_minutes: settings.expected_interval_minutes.optional(),
  schedule: settings.schedule.optional(),
  grace_period_minutes: optional.grace_period_minutes,
  from: timestamp.optional().describe('A beat at this moment. Absent: now.'),
  count: z.int().min(1).max(50).default(5).describe('Number of beats to show.'),
});

/** The next times of a schedule. */
export const schedulePreview = z
  .strictObject({
    data: z.array(
      z.strictObject({
        expected_at: timestamp,
        deadline_at: timestamp,
        expected_at_local: z.string().describe('`expected_at` on the wall clock of `timezone`.'),
      }),
    ),
    timezone: z.string(),
    grace_period_minutes: z.number(),
  })
  .meta({ id: 'SchedulePreview' });

export const monitorSummaryQuery = z.strictObject({
  monitors: z
    .string()
    .max(8_000)
    .default('')
    .describe('Ids with commas between them, at most 100, whose recent history to tell.'),
});

/** Number of monitors in each status, and the recent history of some of them. */
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

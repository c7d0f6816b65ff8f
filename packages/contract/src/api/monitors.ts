import * as z from 'zod';
import { labelField, labelListField, minutesField, slugField } from '../config/fields.ts';
import { MONITOR_FIELDS, ScheduleSchema } from '../config/monitoring.ts';
import { configSource } from './config-source.ts';
import { createListQuery, LIST_ORDERS, timestamp } from './page.ts';

export const MONITOR_STATUSES = ['waiting', 'healthy', 'failing', 'paused'] as const;

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

/** A monitor as every answer shows it. */
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

/** Absent fields have their default; a rule of `floe.yaml` is a rule here. */
export const monitorCreation = z.strictObject({
  id: slugField().optional().describe('Absent: one is made.'),
  ...optional,
});

/** Absent fields stay; null clears. Of interval and schedule, giving one takes the other away. */
export const monitorPatch = z.strictObject(optional);

/** What `GET` returned, read-only fields included. Absent settings return to their default. */
export const monitorReplacement = z.strictObject({
  id: z.string().optional().describe('The id of the path; an id never changes.'),
  ...optional,
  grace_source: graceSource
    .optional()
    .describe('`org` with the org’s own value of `grace_period_minutes`: the org’s default is followed.'),
  ...z.strictObject(readOnly).partial().shape,
});

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

/** One change for several monitors; absent fields stay as each has them. */
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

/** What became of each monitor that a change of several named. */
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

export const schedulePreviewInput = z.strictObject({
  expected_interval_minutes: settings.expected_interval_minutes.optional(),
  schedule: settings.schedule.optional(),
  grace_period_minutes: optional.grace_period_minutes,
  from: timestamp.optional().describe('A beat at this moment. Absent: now.'),
  count: z.int().min(1).max(50).default(5).describe('Number of beats to show.'),
});

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

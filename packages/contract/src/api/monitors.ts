import * as z from 'zod';
import {
  createMinutesField,
  createShortTextField,
  createShortTextListField,
  createSlugField,
} from '../config/fields.ts';
import { ScheduleSchema, SHARED_MONITOR_FIELDS } from '../config/monitoring.ts';
import { createListQuerySchema, LIST_ORDERS, timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

/** The statuses of a monitor. */
export const MONITOR_STATUSES = ['waiting', 'healthy', 'failing', 'paused'] as const;

const { name, description, ...plain } = SHARED_MONITOR_FIELDS;

const settings = {
  name,
  description,
  expected_interval_minutes: createMinutesField(0.5)
    .nullable()
    .describe('How often the job sends a beat, in minutes. Set either this field or `schedule`.'),
  schedule: ScheduleSchema.nullable().describe(
    'When the job runs. Set either this field or `expected_interval_minutes`.',
  ),
  tags: createShortTextListField().describe(
    'Tags by which you can filter lists and select monitors for channels and maintenance windows.',
  ),
  channels: createShortTextListField().describe(
    'Names of the channels that can receive alerts for this monitor. If empty, or if all of these channels were deleted or renamed, all channels can receive them. A channel receives an alert only if its `events` and `tags` match.',
  ),
  paused: z
    .boolean()
    .describe(
      'Whether the monitor is paused. While a monitor is paused, Floe records beats but does not expect them.',
    ),
  paused_until: timestamp
    .nullable()
    .describe(
      'Time at which the pause ends automatically. `null` means that the pause does not end automatically.',
    ),
  muted_until: timestamp
    .nullable()
    .describe(
      'Time until which Floe delays failure alerts for this monitor. If the monitor is still failing at this time, Floe sends the alert. Floe still records the monitor’s status.',
    ),
  ...plain,
  fail_counts_as_miss: z
    .boolean()
    .describe(
      'Whether a failure that the job reports counts as one missed beat for `alert_after_misses`. If `false`, Floe sends an alert immediately after a reported failure.',
    ),
  first_beat_due_minutes: createMinutesField(0.5)
    .nullable()
    .describe(
      'How soon the first beat must arrive after the monitor’s creation or after the end of a pause, in minutes. If no beat arrives in this time, Floe sends an alert. `null` means that the first beat must arrive by the first expected time plus the grace period.',
    ),
};

const graceSource = z
  .enum(['monitor', 'org'])
  .describe(
    'Where the grace period that applies is set: on the monitor (`monitor`), or as the organization’s default (`org`).',
  );

const readOnly = {
  status: z.enum(MONITOR_STATUSES),
  last_beat_at: timestamp.nullable(),
  next_due_at: timestamp.nullable().describe('Time at which the next beat is due.'),
  deadline_at: timestamp
    .nullable()
    .describe(
      '`next_due_at` plus the grace period. If no beat arrives by this time, the beat counts as missed. While the monitor waits for its first beat, `next_due_at` is `null`, and this is the time at which Floe sends an alert.',
    ),
  failing_since: timestamp.nullable(),
  beat_url: z
    .string()
    .nullable()
    .describe(
      'Secret URL for beats without authentication headers. `null` if the caller has neither the scope `monitoring` nor the scope `management`.',
    ),
  source: resourceSource,
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A monitor in the API format. */
export const monitorResource = z
  .strictObject({
    id: z.string().describe('Id of the monitor. Jobs send this id as `monitor_id`.'),
    kind: z.literal('heartbeat'),
    ...settings,
    grace_period_minutes: createMinutesField(0).describe('Grace period that applies, in minutes.'),
    grace_source: graceSource,
    ...readOnly,
  })
  .meta({ id: 'Monitor' });
export type Monitor = z.output<typeof monitorResource>;

const optional = {
  ...z.strictObject(settings).partial().shape,
  kind: z
    .enum(['heartbeat', 'push'])
    .optional()
    .describe('Kind of monitor. `push` is an alias of `heartbeat`.'),
  grace_period_minutes: createMinutesField(0)
    .nullable()
    .optional()
    .describe(
      'How late a beat may arrive before it counts as missed, in minutes. `null` means the organization’s default.',
    ),
};

/**
 * The request to create a monitor. Absent fields get their defaults. The same rules apply as in
 * floe.yaml.
 */
export const monitorCreation = z.strictObject({
  id: createSlugField().optional().describe('Id of the monitor. If absent, Floe creates one.'),
  ...optional,
});

/**
 * The request to update a monitor. Absent fields keep their values. Null clears a field. Setting
 * the interval removes the cron expression, and vice versa.
 */
export const monitorPatch = z.strictObject(optional);

/**
 * The request to replace a monitor. It accepts the response of `GET`, including read-only fields.
 * Absent settings are reset to their defaults.
 */
export const monitorReplacement = z.strictObject({
  id: z.string().optional().describe('Must equal the id in the path. You cannot change an id.'),
  ...optional,
  grace_source: graceSource
    .optional()
    .describe(
      'If the value is `org` and `grace_period_minutes` equals the organization’s default, the monitor follows changes to the default.',
    ),
  ...z.strictObject(readOnly).partial().shape,
});

/** The maximum number of monitors in one bulk request. */
export const MAX_BULK_MONITORS = 100;

export const monitorListQuery = createListQuerySchema().extend({
  sort: z
    .enum(['urgency', ...LIST_ORDERS])
    .default('newest')
    .describe(
      'Order of the entries. `urgency` lists failing monitors first, starting with the longest failure, then waiting monitors, then healthy monitors by their next deadline, then paused monitors.',
    ),
  tag: createShortTextField().optional().describe('Only monitors with this tag.'),
  status: z.enum(MONITOR_STATUSES).optional().describe('Only monitors with this status.'),
  channel: createShortTextField().optional().describe('Only monitors whose `channels` contain this name.'),
  source: z
    .enum(['file', 'console'])
    .optional()
    .describe(
      '`file`: only monitors that are defined in `floe.yaml`. `console`: only monitors that are not defined in `floe.yaml`.',
    ),
  ids: z
    .string()
    .min(1)
    .max(8_000)
    .optional()
    .describe(`Only monitors with these ids, comma-separated. At most ${MAX_BULK_MONITORS}.`),
});

/** The request to change several monitors in the same way. Absent fields keep their values. */
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

/** The result of a bulk change, for each monitor. */
export const bulkMonitorResult = z
  .strictObject({
    changed: z.array(z.string()),
    unchanged: z.array(z.string()).describe('Ids of the monitors that already had the requested values.'),
    failed: z.array(z.strictObject({ id: z.string(), code: z.string(), message: z.string() })),
  })
  .meta({ id: 'MonitorsChanged' });
export type BulkMonitorResult = z.output<typeof bulkMonitorResult>;

export const monitorPauseInput = z
  .strictObject({
    until: timestamp
      .nullable()
      .optional()
      .describe(
        'Time at which the pause ends automatically. If absent or `null`, the pause does not end automatically.',
      ),
  })
  .optional();

export const schedulePreviewInput = z.strictObject({
  expected_interval_minutes: settings.expected_interval_minutes.optional(),
  schedule: settings.schedule.optional(),
  grace_period_minutes: optional.grace_period_minutes,
  from: timestamp.optional().describe('Time of the last beat. Defaults to now.'),
  count: z.int().min(1).max(50).default(5).describe('Number of expected beats to return.'),
});

/** The next expected times of a schedule. */
export const schedulePreview = z
  .strictObject({
    data: z.array(
      z.strictObject({
        expected_at: timestamp,
        deadline_at: timestamp,
        expected_at_local: z.string().describe('`expected_at` as local time in `timezone`.'),
      }),
    ),
    timezone: z.string(),
    grace_period_minutes: z.number(),
  })
  .meta({ id: 'SchedulePreview' });

import * as z from 'zod';
import { createShortTextField } from '../config/fields.ts';
import { createBoardGroupsField, createBoardSlugField, SHARED_BOARD_FIELDS } from '../config/monitoring.ts';
import { MONITOR_STATUSES } from './monitors.ts';
import { timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

const slug = createBoardSlugField();
const { name, ...plain } = SHARED_BOARD_FIELDS;

const settings = {
  name,
  public: z.boolean().describe('Whether anyone with the link can read the board without signing in.'),
  ...plain,
  groups: createBoardGroupsField().describe('Groups of monitors, in display order.'),
};

const readOnly = {
  id: z.string(),
  url: z.string().describe('URL of the board. It works only if the board is public.'),
  source: resourceSource,
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A board in the API format. */
export const boardResource = z.strictObject({ slug, ...settings, ...readOnly }).meta({ id: 'Board' });
export type Board = z.output<typeof boardResource>;

const optional = z.strictObject(settings).partial().shape;

export const boardCreation = z.strictObject({ slug, ...optional });

/** The HTML preview of an unsaved board. It is rendered in the same way as public boards. */
export const boardPreview = z
  .strictObject({ html: z.string().describe('Complete HTML document without scripts.') })
  .meta({ id: 'BoardPreview' });

/** The request to update a board. Absent fields keep their values. */
export const boardPatch = z.strictObject({ slug: slug.optional(), ...optional });

/**
 * The request to replace a board. It accepts the response of `GET`, including read-only fields. Absent
 * settings are reset to their defaults.
 */
export const boardReplacement = z.strictObject({
  slug: slug.optional(),
  ...optional,
  ...z.strictObject(readOnly).partial().shape,
});

const seconds = z.number();

const day = z.strictObject({
  date: z.string().describe('Date in the board’s time zone, such as `2026-11-21`.'),
  healthy_seconds: seconds,
  failing_seconds: seconds,
  unknown_seconds: seconds,
  paused_seconds: seconds,
});

const shown = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(MONITOR_STATUSES),
  last_beat_at: timestamp.nullable(),
  failing_since: timestamp.nullable(),
  maintenance_until: timestamp
    .nullable()
    .describe(
      'End of the announced maintenance window that is in progress for the monitor. `null` if there is none.',
    ),
  uptime_ratio: z
    .number()
    .nullable()
    .describe(
      'Healthy time divided by the sum of healthy and failing time, over the days shown. `null` if the monitor was neither healthy nor failing.',
    ),
  downtime_seconds: seconds,
  history_since: timestamp
    .nullable()
    .describe(
      'Start of the history of the monitor on the board. `null` if the history is complete. If the monitors of a board had more than 10,000 status changes in total, Floe omits the oldest changes of the monitors with the most changes.',
    ),
  days: z.array(day).describe('The last 90 days, oldest first.'),
});

/** The current status of a board. */
export const boardStatus = z
  .strictObject({
    slug,
    name: createShortTextField(),
    timezone: z.string(),
    status: z
      .enum(['healthy', 'failing', 'waiting', 'paused', 'empty'])
      .describe(
        'Status of the board: the first of `failing`, `healthy`, `waiting` and `paused` that applies to at least one of its monitors. `empty` means that the board has no monitors.',
      ),
    generated_at: timestamp,
    checked_at: timestamp.describe('Time up to which Floe has evaluated all monitors.'),
    groups: z.array(z.strictObject({ name: createShortTextField(), monitors: z.array(shown) })),
    downtime: z
      .array(
        z.strictObject({
          monitor_id: z.string(),
          name: z.string(),
          started_at: timestamp,
          ended_at: timestamp
            .nullable()
            .describe('End of the downtime. `null` while the downtime continues.'),
          downtime_seconds: seconds,
        }),
      )
      .describe('Periods of downtime in the days shown, newest first. At most 50 entries.'),
    maintenance: z
      .array(
        z.strictObject({
          name: z.string(),
          starts_at: timestamp,
          ends_at: timestamp,
          monitors: z.array(z.string()).describe('Names of the affected monitors of this board.'),
        }),
      )
      .describe('Announced maintenance windows in progress or in the next 7 days, soonest first.'),
  })
  .meta({ id: 'BoardStatus' });
export type BoardStatus = z.output<typeof boardStatus>;

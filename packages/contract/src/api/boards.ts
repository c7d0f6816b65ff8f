import * as z from 'zod';
import { labelField } from '../config/fields.ts';
import { BOARD_FIELDS, boardGroupsField, boardSlugField } from '../config/monitoring.ts';
import { configSource } from './config-source.ts';
import { MONITOR_STATUSES } from './monitors.ts';
import { timestamp } from './page.ts';

const slug = boardSlugField();
const { name, ...plain } = BOARD_FIELDS;

const settings = {
  name,
  public: z.boolean().describe('Readable by anyone with the link.'),
  ...plain,
  groups: boardGroupsField().describe('In order.'),
};

const readOnly = {
  id: z.string(),
  url: z.string().describe('Where the board is read, if it is public.'),
  source: configSource,
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A board as every answer shows it. */
export const boardResource = z.strictObject({ slug, ...settings, ...readOnly }).meta({ id: 'Board' });
export type Board = z.output<typeof boardResource>;

const optional = z.strictObject(settings).partial().shape;

export const boardCreation = z.strictObject({ slug, ...optional });

/** The page that a board would be, drawn by what draws public boards. */
export const boardPreview = z
  .strictObject({ html: z.string().describe('A whole document, without scripts.') })
  .meta({ id: 'BoardPreview' });

/** Absent fields stay. */
export const boardPatch = z.strictObject({ slug: slug.optional(), ...optional });

/** What `GET` returned, read-only fields included. Absent settings return to their default. */
export const boardReplacement = z.strictObject({
  slug: slug.optional(),
  ...optional,
  ...z.strictObject(readOnly).partial().shape,
});

const seconds = z.number();

const day = z.strictObject({
  date: z.string().describe('Day in the zone of the board, such as 2026-11-21.'),
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
  maintenance_until: timestamp.nullable().describe('Planned maintenance under way, where it is announced.'),
  uptime_ratio: z.number().nullable().describe('Over the days shown; null when nothing was judged.'),
  downtime_seconds: seconds,
  days: z.array(day).describe('Oldest first; 90 of them.'),
});

/** What a board says now. */
export const boardStatus = z
  .strictObject({
    slug,
    name: labelField(),
    timezone: z.string(),
    status: z
      .enum(['healthy', 'failing', 'waiting', 'paused', 'empty'])
      .describe('The worst of its monitors: failing, then healthy, then waiting, then paused.'),
    generated_at: timestamp,
    checked_at: timestamp.describe('Everything due before is judged.'),
    groups: z.array(z.strictObject({ name: labelField(), monitors: z.array(shown) })),
    downtime: z
      .array(
        z.strictObject({
          monitor_id: z.string(),
          name: z.string(),
          started_at: timestamp,
          ended_at: timestamp.nullable().describe('`null` while the downtime continues.'),
          downtime_seconds: seconds,
        }),
      )
      .describe('Newest first, of the days shown; at most 50.'),
    maintenance: z
      .array(
        z.strictObject({
          name: z.string(),
          starts_at: timestamp,
          ends_at: timestamp,
          monitors: z.array(z.string()).describe('Names of monitors of this board.'),
        }),
      )
      .describe('Announced maintenance under way or in the next 7 days, soonest first.'),
  })
  .meta({ id: 'BoardStatus' });
export type BoardStatus = z.output<typeof boardStatus>;

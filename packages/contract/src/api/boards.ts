import * as z from 'zod';
import { label } from '../config/fields.ts';
import { BOARD_FIELDS, boardGroups, boardSlug } from '../config/monitoring.ts';
import { MONITOR_STATUSES } from './monitors.ts';
import { moment } from './page.ts';
import { filePlace } from './place.ts';

const slug = boardSlug();
const { name, ...plain } = BOARD_FIELDS;

const settings = {
  name,
  public: z.boolean().describe('Readable by anyone with the link.'),
  ...plain,
  groups: boardGroups().describe('In order.'),
};

const readOnly = {
  id: z.string(),
  url: z.string().describe('Where the board is read, if it is public.'),
  source: filePlace,
  created_at: moment,
  updated_at: moment,
  updated_by: z.string(),
};

/** A board as every answer shows it. */
export const board = z.strictObject({ slug, ...settings, ...readOnly }).meta({ id: 'Board' });
export type Board = z.output<typeof board>;

const optional = z.strictObject(settings).partial().shape;

export const boardCreation = z.strictObject({ slug, ...optional });

/** The page that a board would be, drawn by what draws public boards. */
export const boardPreview = z
  .strictObject({ html: z.string().describe('A whole document, without scripts.') })
  .meta({ id: 'BoardPreview' });

/** Absent fields stay. */
export const boardChange = z.strictObject({ slug: slug.optional(), ...optional });

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
  last_beat_at: moment.nullable(),
  failing_since: moment.nullable(),
  maintenance_until: moment.nullable().describe('Planned maintenance under way, where it is announced.'),
  uptime_ratio: z.number().nullable().describe('Over the days shown; null when nothing was judged.'),
  downtime_seconds: seconds,
  days: z.array(day).describe('Oldest first; 90 of them.'),
});

/** What a board says now. */
export const boardStatus = z
  .strictObject({
    slug,
    name: label(),
    timezone: z.string(),
    status: z
      .enum(['healthy', 'failing', 'waiting', 'paused', 'empty'])
      .describe('The worst of its monitors: failing, then healthy, then waiting, then paused.'),
    generated_at: moment,
    checked_at: moment.describe('Everything due before is judged.'),
    groups: z.array(z.strictObject({ name: label(), monitors: z.array(shown) })),
    downtime: z
      .array(
        z.strictObject({
          monitor_id: z.string(),
          name: z.string(),
          started_at: moment,
          ended_at: moment.nullable().describe('Null while it lasts.'),
          downtime_seconds: seconds,
        }),
      )
      .describe('Newest first, of the days shown; at most 50.'),
    maintenance: z
      .array(
        z.strictObject({
          name: z.string(),
          starts_at: moment,
          ends_at: moment,
          monitors: z.array(z.string()).describe('Names of monitors of this board.'),
        }),
      )
      .describe('Announced maintenance under way or in the next 7 days, soonest first.'),
  })
  .meta({ id: 'BoardStatus' });
export type BoardStatus = z.output<typeof boardStatus>;

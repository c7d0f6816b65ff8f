import * as z from 'zod';
import { timezoneField } from '../config/fields.ts';
import { timestamp } from './page.ts';

const label = z.string().min(1).max(200);

const settings = {
  name: label,
  starts_at: timestamp.nullable().describe('With `schedule`: not before.'),
  ends_at: timestamp.nullable().describe('With `schedule`: not after. An earlier moment ends it.'),
  schedule: z
    .strictObject({ cron: z.string().min(1).max(200), timezone: timezoneField().optional() })
    .nullable()
    .describe('Starts again and again, and lasts `duration_minutes`.'),
  duration_minutes: z.number().min(1).max(10_080).nullable(),
  monitors: z.array(z.string().min(1).max(64)).max(500).describe('Ids of monitors.'),
  tags: z
    .array(label)
    .max(50)
    .describe('Monitors that carry one. With both lists empty: every monitor of the organization.'),
  show_on_boards: z.boolean().describe('Announced on public boards.'),
};

/** Settings whose columns have the same name and value. */
export const storedMaintenanceWindowFields = z.object({ name: z.string().default('') });

const occurrence = z.strictObject({ starts_at: timestamp, ends_at: timestamp });

const readOnly = {
  active_until: timestamp.nullable().describe('When it is under way: its end.'),
  next: z.array(occurrence).describe('The next three.'),
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A time in which messages about monitors are held back; states are recorded as ever. */
export const maintenanceWindow = z
  .strictObject({ id: z.string(), ...settings, ...readOnly })
  .meta({ id: 'MaintenanceWindow' });
export type MaintenanceWindow = z.output<typeof maintenanceWindow>;

const optional = z.strictObject(settings).partial().shape;
const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'use lower-case letters, digits, ".", "_" and "-" (at most 64)');

/** Either `starts_at` and `ends_at`, or `schedule` and `duration_minutes`. */
export const maintenanceWindowCreation = z.strictObject({ id: id.optional(), ...optional, name: label });

/** Absent fields stay; null clears. */
export const maintenanceWindowPatch = z.strictObject(optional);

/** What `GET` returned, read-only fields included. */
export const maintenanceWindowReplacement = z.strictObject({
  id: z.string().optional(),
  ...optional,
  name: label,
  ...z.strictObject(readOnly).partial().shape,
});

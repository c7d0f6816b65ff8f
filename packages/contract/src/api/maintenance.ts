import * as z from 'zod';
import { createTimezoneField } from '../config/fields.ts';
import { timestamp } from './page.ts';

const label = z.string().min(1).max(200);

const settings = {
  name: label.describe('Name of the window in lists and on boards.'),
  starts_at: timestamp
    .nullable()
    .describe('Start of the window. With `schedule`, no occurrence starts before this time.'),
  ends_at: timestamp
    .nullable()
    .describe(
      'End of the window. With `schedule`, no occurrence continues after this time. To end a window early, set this field to the current time.',
    ),
  schedule: z
    .strictObject({ cron: z.string().min(1).max(200), timezone: createTimezoneField().optional() })
    .nullable()
    .describe(
      'Schedule of a repeating window. Each occurrence lasts `duration_minutes`. `null` means a single window.',
    ),
  duration_minutes: z
    .number()
    .min(1)
    .max(10_080)
    .nullable()
    .describe('Length of each occurrence in minutes. Required with `schedule`.'),
  monitors: z.array(z.string().min(1).max(64)).max(500).describe('Ids of the affected monitors.'),
  tags: z
    .array(label)
    .max(50)
    .describe(
      'Monitors with one of these tags are affected. If `monitors` and `tags` are empty, all monitors of the organization are affected.',
    ),
  show_on_boards: z.boolean().describe('Whether boards that show an affected monitor announce the window.'),
};

/**
 * The maintenance window fields that Floe stores without conversion. All other fields have a different name or
 * format in the database.
 */
export const maintenanceWindowFieldsStoredAsIs = z.object({ name: z.string().default('') });

const occurrence = z.strictObject({ starts_at: timestamp, ends_at: timestamp });

const readOnly = {
  active_until: timestamp
    .nullable()
    .describe('End of the occurrence in progress. `null` if no occurrence is in progress.'),
  next: z.array(occurrence).describe('Next occurrences, excluding the one in progress. At most three.'),
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/**
 * A period during which no failure alerts are sent for the selected monitors. Their history is still
 * recorded.
 */
export const maintenanceWindowResource = z
  .strictObject({ id: z.string(), ...settings, ...readOnly })
  .meta({ id: 'MaintenanceWindow' });
export type MaintenanceWindow = z.output<typeof maintenanceWindowResource>;

const optional = z.strictObject(settings).partial().shape;
const id = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters',
  );

/**
 * The request to create a maintenance window. It needs either `starts_at` and `ends_at`, or
 * `schedule` and `duration_minutes`.
 */
export const maintenanceWindowCreation = z.strictObject({
  id: id.optional().describe('Id of the window. If absent, Floe creates one.'),
  ...optional,
  name: settings.name,
});

/**
 * The request to update a maintenance window. Absent fields keep their values. Null clears a field.
 */
export const maintenanceWindowPatch = z.strictObject(optional);

/**
 * The request to replace a maintenance window. It accepts the response of `GET`, including
 * read-only fields.
 */
export const maintenanceWindowReplacement = z.strictObject({
  id: z.string().optional(),
  ...optional,
  name: settings.name,
  ...z.strictObject(readOnly).partial().shape,
});

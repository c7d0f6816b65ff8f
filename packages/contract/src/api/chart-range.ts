import * as z from 'zod';
import { timezoneField } from '../config/fields.ts';
import { dateOrTimestamp, timestamp } from './page.ts';

/** Query parameters of a time range. A day means its start in `timezone`. */
export const chartRange = {
  from: dateOrTimestamp
    .optional()
    .describe(
      'Included. A day, such as `2026-11-21`, is its beginning in `timezone`. Absent: 24 hours before `to`.',
    ),
  to: dateOrTimestamp.optional().describe('Not included; a day is its beginning. Absent: now.'),
  timezone: timezoneField()
    .optional()
    .describe('Of days, such as `Europe/Berlin`. Absent: that of the organization.'),
};

/** What each response with figures says about the range that it covers. */
export const coverageFields = {
  from: timestamp,
  to: timestamp,
  timezone: z.string().describe('Of days.'),
  complete_until: timestamp.describe(
    'Requests that ended before are all counted. Those still going on are counted where they began, once they end.',
  ),
  retained_from: timestamp.describe('Older requests have been deleted.'),
};

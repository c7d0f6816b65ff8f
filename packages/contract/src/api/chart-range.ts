import * as z from 'zod';
import { createTimezoneField } from '../config/fields.ts';
import { dateOrTimestamp, timestamp } from './page.ts';

/**
 * The query parameters that select the time range of a chart. A date means the start of that day in `timezone`.
 */
export const chartRangeQueryFields = {
  from: dateOrTimestamp
    .optional()
    .describe(
      'Start of the time range. A date such as `2026-11-21` means the start of the day in `timezone`. Defaults to 24 hours before `to`.',
    ),
  to: dateOrTimestamp
    .optional()
    .describe(
      'End of the time range, exclusive. A date means the start of the day in `timezone`. Defaults to now.',
    ),
  timezone: createTimezoneField()
    .optional()
    .describe(
      'IANA time zone that determines when each day starts, such as `Europe/Berlin`. Defaults to the organization’s time zone.',
    ),
};

/** The response fields that state which time range the figures of a response cover. */
export const timeCoverageFields = {
  from: timestamp,
  to: timestamp,
  timezone: z.string().describe('IANA time zone that determines when each day starts.'),
  complete_until: timestamp.describe(
    'The response includes all requests that ended before this time. Floe counts a request when it ends, in the interval in which it started.',
  ),
  retained_from: timestamp.describe('Start of the retained history. Floe has deleted earlier requests.'),
};

import * as z from 'zod';
import { chartRangeQueryFields } from './chart-range.ts';

export const monthlyBillQuery = z.strictObject({
  timezone: chartRangeQueryFields.timezone.describe(
    'IANA time zone in which the month begins and ends. Defaults to the organization’s time zone.',
  ),
});

export const monthlyBillParams = z.strictObject({
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10'),
});

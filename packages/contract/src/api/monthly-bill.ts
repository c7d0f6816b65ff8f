import * as z from 'zod';
import { chartRange } from './chart-range.ts';

export const monthlyBillQuery = z.strictObject({
  timezone: chartRange.timezone.describe('Of the month. Absent: that of the organization.'),
});

export const monthlyBillParams = z.strictObject({
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10'),
});

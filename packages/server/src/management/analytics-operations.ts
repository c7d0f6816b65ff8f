import type { AnalyticsCoverage } from './analytics/analytics-coverage.ts';
import { defineGetAnnotationsOperation } from './analytics/annotations.ts';
import { createNoteOperation } from './analytics/create-note.ts';
import { defineGetFilterValuesOperation } from './analytics/filter-values.ts';
import { defineExportMonthlyBillOperation } from './analytics/monthly-bill.ts';
import { defineGetUsageSummaryOperation } from './analytics/usage-summary.ts';
import { defineGetUsageTimeseriesOperation } from './analytics/usage-timeseries.ts';
import { defineGetTopUsageOperation } from './analytics/usage-top.ts';
import type { Operation } from './operation.ts';

/** Returns the operations on usage, filter values, annotations and monthly bills. */
export function defineAnalyticsOperations(coverage: AnalyticsCoverage): readonly Operation[] {
  return [
    defineGetUsageSummaryOperation(coverage),
    defineGetUsageTimeseriesOperation(coverage),
    defineGetTopUsageOperation(coverage),
    defineGetFilterValuesOperation(coverage),
    defineGetAnnotationsOperation(coverage),
    createNoteOperation,
    defineExportMonthlyBillOperation(coverage),
  ];
}

import type { AnalyticsDataRange } from './analytics/analytics-data-range.ts';
import { defineListAnnotationsOperation } from './analytics/annotations.ts';
import { createAnnotationOperation } from './analytics/create-annotation.ts';
import { defineListFilterValuesOperation } from './analytics/filter-values.ts';
import { defineExportMonthlyBillOperation } from './analytics/monthly-bill.ts';
import { defineListTopValuesOperation } from './analytics/top-values.ts';
import { defineGetUsageSummaryOperation } from './analytics/usage-summary.ts';
import { defineGetUsageTimeseriesOperation } from './analytics/usage-timeseries.ts';
import type { Operation } from './operation.ts';

/** Returns the operations on usage, filter values, annotations and monthly bills. */
export function defineAnalyticsOperations(coverage: AnalyticsDataRange): readonly Operation[] {
  return [
    defineGetUsageSummaryOperation(coverage),
    defineGetUsageTimeseriesOperation(coverage),
    defineListTopValuesOperation(coverage),
    defineListFilterValuesOperation(coverage),
    defineListAnnotationsOperation(coverage),
    createAnnotationOperation,
    defineExportMonthlyBillOperation(coverage),
  ];
}

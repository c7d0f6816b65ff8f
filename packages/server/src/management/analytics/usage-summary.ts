import { analyticsSummary, analyticsSummaryQuery } from '@floe/contract/api/charts';
import { computePreviousRange } from '../../analytics/chart-grid.ts';
import { queryChartSummary } from '../../analytics/charts.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type AnalyticsDataRange, toIsoTimestamp } from './analytics-data-range.ts';
import { resolveFilteredChartRequest } from './filtered-chart-request.ts';

/** Defines the operation that returns request totals for a time range (`GET /api/analytics/summary`). */
export function defineGetUsageSummaryOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'analytics.summary',
    method: 'GET',
    path: '/api/analytics/summary',
    scope: 'management',
    summary: 'Read request totals for a time range, optionally filtered',
    query: analyticsSummaryQuery,
    answer: analyticsSummary,
    async run(context, { query }) {
      const range = await resolveFilteredChartRequest(context, coverage.timezoneOf(context.orgId), query);
      const answer = {
        ...coverage.describeRange(range, context.clock),
        ...(await queryChartSummary(context.reader, range)),
      };
      if (query.compare === undefined) return answer;
      const before = { ...range, ...computePreviousRange(range, range.timezone) };
      const { from, to } = before;
      const figures = await queryChartSummary(context.reader, before);
      return { ...answer, previous: { from: toIsoTimestamp(from), to: toIsoTimestamp(to), ...figures } };
    },
  });
}

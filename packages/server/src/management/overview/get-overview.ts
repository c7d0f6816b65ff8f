import { orgOverview, orgOverviewQuery } from '@floe/contract/api/overview';
import { computePreviousRange } from '../../analytics/chart-grid.ts';
import { queryChartSummary } from '../../analytics/charts.ts';
import { countOrgMonitorsByStatus } from '../../store/monitoring/monitor-overview.ts';
import { type AnalyticsDataRange, toIsoTimestamp } from '../analytics/analytics-data-range.ts';
import { resolveChartRange } from '../analytics/chart-range.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type AttentionDependencies, loadAttentionItems } from './attention-items.ts';

/**
 * Defines the operation that returns the organization's health and the items that need attention (`GET
 * /api/overview`).
 */
export function defineGetOverviewOperation(
  coverage: AnalyticsDataRange,
  dependencies: AttentionDependencies,
): Operation {
  return defineReadOperation({
    name: 'overview.get',
    method: 'GET',
    path: '/api/overview',
    scope: 'management',
    summary:
      'Read the items that need attention, and the traffic in a time range compared with the previous range',
    query: orgOverviewQuery,
    answer: orgOverview,
    async run(context, { query }) {
      const { reader, orgId, clock } = context;
      const range = resolveChartRange(context, coverage.timezoneOf(orgId), { ...query, compare: 'previous' });
      const before = { ...range, ...computePreviousRange(range, range.timezone) };
      const [now, previous, counts, { attention, more }] = await Promise.all([
        queryChartSummary(reader, range),
        queryChartSummary(reader, before),
        countOrgMonitorsByStatus(reader, orgId),
        loadAttentionItems(context, dependencies),
      ]);
      return {
        summary: {
          ...coverage.describeRange(range, clock),
          ...now,
          previous: { from: toIsoTimestamp(before.from), to: toIsoTimestamp(before.to), ...previous },
        },
        monitors: {
          healthy: counts.get('healthy') ?? 0,
          failing: counts.get('failing') ?? 0,
          waiting: counts.get('waiting') ?? 0,
          paused: counts.get('paused') ?? 0,
        },
        stores: {
          database: 'ok' as const,
          shared: dependencies.processStatus.sharedStoreState(),
          rows_pending: dependencies.backlog(),
        },
        attention,
        has_more: more,
      };
    },
  });
}

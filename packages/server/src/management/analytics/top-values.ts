import { analyticsTopValues, analyticsTopValuesQuery } from '@floe/contract/api/charts';
import { computePreviousRange } from '../../analytics/chart-grid.ts';
import { queryTopValues } from '../../analytics/charts.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { AnalyticsDataRange } from './analytics-data-range.ts';
import { resolveFilteredChartRequest } from './filtered-chart-request.ts';
import { loadKeyNameLookup } from './value-names.ts';

/**
 * Defines the operation that lists the dimension values with the highest totals of a metric (`GET
 * /api/analytics/top`).
 */
export function defineListTopValuesOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'analytics.top',
    method: 'GET',
    path: '/api/analytics/top',
    scope: 'management',
    summary: 'List the dimension values with the highest totals of a metric',
    query: analyticsTopValuesQuery,
    answer: analyticsTopValues,
    async run(context, { query }) {
      const { by, metric, limit, ...rest } = query;
      const range = await resolveFilteredChartRequest(context, coverage.timezoneOf(context.orgId), rest, {
        groupBy: by,
      });
      if (range.groupBy === undefined) throw new Error('unreachable: the request specifies a grouping');
      const wanted = { ...range, groupBy: range.groupBy, order: metric, limit };
      const found = await queryTopValues(context.reader, wanted);
      const values = found.map(({ value }) => value);
      const nameOf = await loadKeyNameLookup(context.reader, context.orgId, by, values);
      const before =
        query.compare === undefined
          ? null
          : new Map(
              (
                await queryTopValues(context.reader, {
                  ...wanted,
                  ...computePreviousRange(wanted, range.timezone),
                  onlyValues: values,
                })
              ).map(({ value, figures }) => [value, figures]),
            );
      return {
        ...coverage.describeRange(range, context.clock),
        data: found.map(({ value, figures }) => ({
          value: value || null,
          name: nameOf(value),
          ...figures,
          ...(before && { previous: before.get(value) ?? null }),
        })),
      };
    },
  });
}

import { analyticsDimensionValues, analyticsDimensionValuesQuery } from '@floe/contract/api/charts';
import { requireRollupFacet } from '../../analytics/chart-request.ts';
import { queryTopValues } from '../../analytics/charts.ts';
import { listPlatformKeyIdsByNamePrefix } from '../../store/platform-keys.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { AnalyticsDataRange } from './analytics-data-range.ts';
import { resolveChartRange } from './chart-range.ts';
import { loadKeyNameLookup } from './value-names.ts';

/** Defines the operation that lists the values of a dimension for filters (`GET /api/analytics/values`). */
export function defineListFilterValuesOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'analytics.values',
    method: 'GET',
    path: '/api/analytics/values',
    scope: 'management',
    summary:
      'List the values of a dimension with the number of requests for each, most frequent first; `q` filters by prefix',
    query: analyticsDimensionValuesQuery,
    answer: analyticsDimensionValues,
    async run(context, { query }) {
      const { field, q, limit, ...rest } = query;
      const { orgId, reader } = context;
      const range = resolveChartRange(context, coverage.timezoneOf(orgId), rest, { groupBy: field });
      const searched =
        field === 'key' && q
          ? { onlyValues: await listPlatformKeyIdsByNamePrefix(reader, orgId, q) }
          : { prefix: q || undefined };
      const wanted = {
        ...range,
        groupBy: requireRollupFacet(field),
        order: 'requests',
        limit: limit + 1,
      } as const;
      const found = await queryTopValues(reader, { ...wanted, ...searched });
      const shown = found.slice(0, limit);
      const nameOf = await loadKeyNameLookup(
        reader,
        orgId,
        field,
        shown.map(({ value }) => value),
      );
      return {
        ...coverage.describeRange(range, context.clock),
        field,
        data: shown.map(({ value, figures }) => ({
          value: value || null,
          name: nameOf(value),
          requests: figures.requests,
        })),
        has_more: found.length > limit,
      };
    },
  });
}

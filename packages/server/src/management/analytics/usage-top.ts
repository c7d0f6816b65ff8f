import { top, topQuery } from '@floe/contract/api/charts';
import { topOf } from '../../analytics/charts.ts';
import { rangeBefore } from '../../analytics/grid.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { Coverage } from './analytics-host.ts';
import { chartOf } from './chart-filters.ts';
import { valueNames } from './value-names.ts';

export function getTop(coverage: Coverage): Verb {
  return readVerb({
    name: 'analytics.top',
    method: 'GET',
    path: '/api/analytics/top',
    scope: 'management',
    summary: 'List the values of a dimension with the largest sum of a metric',
    query: topQuery,
    answer: top,
    async run(context, { query }) {
      const { by, metric, limit, ...rest } = query;
      const range = await chartOf(context, coverage.zoneOf(context.orgId), rest, { groupBy: by });
      if (range.groupBy === undefined) throw new Error('a grouping was given');
      const wanted = { ...range, groupBy: range.groupBy, order: metric, limit };
      const found = await topOf(context.reader, wanted);
      const values = found.map(({ value }) => value);
      const nameOf = await valueNames(context.reader, context.orgId, by, values);
      const before =
        query.compare === undefined
          ? null
          : new Map(
              (
                await topOf(context.reader, {
                  ...wanted,
                  ...rangeBefore(wanted, range.timezone),
                  only: values,
                })
              ).map(({ value, figures }) => [value, figures]),
            );
      return {
        ...coverage.of(range, context.clock),
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

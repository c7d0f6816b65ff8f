import { values, valuesQuery } from '@floe/contract/api/charts';
import { facetOf } from '../../analytics/chart-request.ts';
import { topOf } from '../../analytics/charts.ts';
import { keysBeginning } from '../../store/platform-keys.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { Coverage } from './analytics-host.ts';
import { chartRange } from './chart-range.ts';
import { valueNames } from './value-names.ts';

export function getValues(coverage: Coverage): Verb {
  return readVerb({
    name: 'analytics.values',
    method: 'GET',
    path: '/api/analytics/values',
    scope: 'management',
    summary:
      'List the values of a dimension with the number of their requests, most first; by what they begin with',
    query: valuesQuery,
    answer: values,
    async run(context, { query }) {
      const { field, q, limit, ...rest } = query;
      const { orgId, reader } = context;
      const range = chartRange(context, coverage.zoneOf(orgId), rest, { groupBy: field });
      const searched =
        field === 'key' && q ? { only: await keysBeginning(reader, orgId, q) } : { prefix: q || undefined };
      const wanted = { ...range, groupBy: facetOf(field), order: 'requests', limit: limit + 1 } as const;
      const found = await topOf(reader, { ...wanted, ...searched });
      const shown = found.slice(0, limit);
      const nameOf = await valueNames(
        reader,
        orgId,
        field,
        shown.map(({ value }) => value),
      );
      return {
        ...coverage.of(range, context.clock),
        field,
        data: shown.map(({ value, figures }) => ({
          value: value || null,
          name: nameOf(value),
          requests: figures.requests,
        })),
        more: found.length > limit,
      };
    },
  });
}

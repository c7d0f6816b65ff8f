import { summary, summaryQuery } from '@floe/contract/api/charts';
import { summaryOf } from '../../analytics/charts.ts';
import { rangeBefore } from '../../analytics/grid.ts';
import { readVerb, type Verb } from '../verb.ts';
import { type Coverage, momentOf } from './analytics-host.ts';
import { chartOf } from './chart-filters.ts';

export function getSummary(coverage: Coverage): Verb {
  return readVerb({
    name: 'analytics.summary',
    method: 'GET',
    path: '/api/analytics/summary',
    scope: 'management',
    summary: 'Add up the requests of a range, all or those that pass the filters of the list',
    query: summaryQuery,
    answer: summary,
    async run(context, { query }) {
      const range = await chartOf(context, coverage.zoneOf(context.orgId), query);
      const answer = { ...coverage.of(range, context.clock), ...(await summaryOf(context.reader, range)) };
      if (query.compare === undefined) return answer;
      const before = { ...range, ...rangeBefore(range, range.timezone) };
      const { from, to } = before;
      const figures = await summaryOf(context.reader, before);
      return { ...answer, previous: { from: momentOf(from), to: momentOf(to), ...figures } };
    },
  });
}

import { summary, summaryQuery } from '@floe/contract/api/charts';
import { summaryOf } from '../../analytics/charts.ts';
import { readVerb } from '../verb.ts';
import { chartRange, covered } from './chart-range.ts';

export const getSummary = readVerb({
  name: 'analytics.summary',
  method: 'GET',
  path: '/api/analytics/summary',
  scope: 'management',
  summary: 'Add up the requests of a range, all or those of one dimension’s value',
  query: summaryQuery,
  answer: summary,
  async run(context, { query }) {
    const range = chartRange(context, query);
    return { ...covered(range), ...(await summaryOf(context.reader, range)) };
  },
});

import { requestQuery, requestRow } from '@floe/contract/api/analytics';
import { page } from '@floe/contract/api/page';
import { exchangePage } from '../../store/exchanges.ts';
import { range } from '../range.ts';
import { readVerb } from '../verb.ts';
import { filtersOf } from './filters.ts';
import { requestOf } from './row.ts';

export const listRequests = readVerb({
  name: 'requests.list',
  method: 'GET',
  path: '/api/analytics/requests',
  scope: 'management',
  summary: 'List requests, newest first; `metadata.<key>=<value>` filters on metadata',
  query: requestQuery,
  answer: page(requestRow),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await exchangePage(reader, {
      orgId,
      limit: query.limit,
      cursor: query.cursor,
      ...range(query),
      ...filtersOf(query),
    });
    return { data: rows.map(requestOf), next_cursor: nextCursor };
  },
});

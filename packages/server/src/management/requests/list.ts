import { requestQuery, requestRow } from '@floe/contract/api/analytics';
import { page } from '@floe/contract/api/page';
import { listExchanges } from '../../store/exchanges.ts';
import { range } from '../range.ts';
import { readVerb } from '../verb.ts';
import { requestOf } from './row.ts';

const METADATA = 'metadata.';

export const listRequests = readVerb({
  name: 'requests.list',
  method: 'GET',
  path: '/api/analytics/requests',
  scope: 'management',
  summary: 'List requests, newest first; `metadata.<key>=<value>` filters on metadata',
  query: requestQuery,
  answer: page(requestRow),
  async run({ orgId, reader }, { query }) {
    const metadata = new Map(
      Object.entries(query).flatMap(([name, value]) =>
        name.startsWith(METADATA) ? [[name.slice(METADATA.length), String(value)] as const] : [],
      ),
    );
    const filter = { ...query, ...range(query), routeMode: query.route_mode, metadata };
    const { rows, nextCursor } = await listExchanges(reader, orgId, filter, query);
    return { data: rows.map(requestOf), next_cursor: nextCursor };
  },
});

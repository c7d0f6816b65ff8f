import { requestQuery, requestRow } from '@floe/contract/api/analytics';
import { page } from '@floe/contract/api/page';
import { exchangePage } from '../../store/exchanges.ts';
import { range } from '../range.ts';
import { readVerb } from '../verb.ts';
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
      routeMode: query.route_mode,
      key: query.key,
      model: query.model,
      provider: query.provider,
      status: query.status === undefined ? undefined : statuses(query.status),
      state: query.state,
      metadata: metadataIn(query),
    });
    return { data: rows.map(requestOf), next_cursor: nextCursor };
  },
});

/** `429` is that status, `5xx` every status of its class. */
function statuses(filter: string): { readonly from: number; readonly to: number } {
  return { from: Number(filter.replace('xx', '00')), to: Number(filter.replace('xx', '99')) };
}

const METADATA = 'metadata.';

function metadataIn(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(query))
    if (name.startsWith(METADATA)) found[name.slice(METADATA.length)] = String(value);
  return found;
}

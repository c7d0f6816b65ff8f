import { requestListPage, requestListQuery } from '@floe/contract/api/analytics';
import { getExchangePage } from '../../store/exchanges.ts';
import { formatLiveEventId } from '../../store/live-event-ids.ts';
import { getLatestOrgEventPosition } from '../../store/live-events.ts';
import { listLiveExchangeIdsAfter } from '../../store/live-exchange-ids.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { parseRequestFilters } from './request-filters.ts';
import { toRequestResource } from './request-resource.ts';

/** The operation that lists requests (`GET /api/analytics/requests`). */
export const listRequestsOperation = defineReadOperation({
  name: 'requests.list',
  method: 'GET',
  path: '/api/analytics/requests',
  scope: 'management',
  summary: 'List requests, newest first; `metadata.<key>=<value>` filters by metadata',
  query: requestListQuery,
  answer: requestListPage,
  async run({ orgId, reader }, { query }) {
    const { limit, cursor, live } = query;
    const head =
      live === 'true' && cursor === undefined ? await getLatestOrgEventPosition(reader, orgId) : null;
    const asked = { orgId, limit, cursor, ...parseTimeRange(query), ...parseRequestFilters(query) };
    const { rows, nextCursor } = await getExchangePage(reader, asked);
    if (head === null) return { data: rows.map(toRequestResource), next_cursor: nextCursor };
    // Rows that were committed since then are excluded, because the event stream reports them after the page.
    const later = await listLiveExchangeIdsAfter(reader, orgId, head);
    return {
      data: rows.filter(({ id }) => !later.has(id)).map(toRequestResource),
      next_cursor: nextCursor,
      live_id: formatLiveEventId(reader, orgId, head),
    };
  },
});

import { requestPage, requestQuery } from '@floe/contract/api/analytics';
import { exchangePage } from '../../store/exchanges.ts';
import { liveHead, positionText } from '../../store/live-events.ts';
import { liveIdsBeyond } from '../../store/live-ids.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';
import { filtersOf } from './request-filters.ts';
import { requestOf } from './request-row.ts';

export const listRequests = readVerb({
  name: 'requests.list',
  method: 'GET',
  path: '/api/analytics/requests',
  scope: 'management',
  summary: 'List requests, newest first; `metadata.<key>=<value>` filters on metadata',
  query: requestQuery,
  answer: requestPage,
  async run({ orgId, reader }, { query }) {
    const { limit, cursor, live } = query;
    const head = live === 'true' && cursor === undefined ? await liveHead(reader) : null;
    const asked = { orgId, limit, cursor, ...range(query), ...filtersOf(query) };
    const { rows, nextCursor } = await exchangePage(reader, asked);
    if (head === null) return { data: rows.map(requestOf), next_cursor: nextCursor };
    // What was committed since belongs to what comes after the page, and is told there.
    const later = await liveIdsBeyond(reader, orgId, head);
    return {
      data: rows.filter(({ id }) => !later.has(id)).map(requestOf),
      next_cursor: nextCursor,
      live_id: positionText(head),
    };
  },
});

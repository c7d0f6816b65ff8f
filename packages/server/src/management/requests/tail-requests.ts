import { requestTailPage, requestTailQuery } from '@floe/contract/api/analytics';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { extractExchangeBatches } from '../../analytics/live/live-messages.ts';
import { getLiveBatchMatches } from '../../store/live-batch-matches.ts';
import { formatLiveEventId, parseLiveEventId } from '../../store/live-event-ids.ts';
import {
  getLatestOrgEventPosition,
  hasAllLiveEventsAfter,
  isLiveEventPositionAfter,
  type LiveEventPosition,
  listLiveEventsAfter,
} from '../../store/live-events.ts';
import { defineReadOperation } from '../operation.ts';
import { parseRequestFilters } from './request-filters.ts';
import { toRequestResource } from './request-resource.ts';

/**
 * Maximum number of events per response, which is about half a minute under heavy load. A client that is
 * further behind reads the list again.
 */
const MAX_EVENTS = 400;

/**
 * The operation that returns the events that the event stream sent between two ids, filtered like a
 * request list.
 */
export const tailRequestsOperation = defineReadOperation({
  name: 'requests.tail',
  method: 'GET',
  path: '/api/analytics/tail',
  scope: 'management',
  summary:
    'List requests that were recorded between two events of the event stream, and return their exact number',
  query: requestTailQuery,
  answer: requestTailPage,
  async run({ orgId, reader }, { query }) {
    const parse = (param: 'after' | 'until', text: string) =>
      requirePosition(parseLiveEventId(reader, orgId, text), param);
    const format = (position: LiveEventPosition) => formatLiveEventId(reader, orgId, position);
    const after = parse('after', query.after);
    const head = await getLatestOrgEventPosition(reader, orgId);
    const asked = query.until === undefined ? head : parse('until', query.until);
    const upTo = isLiveEventPositionAfter(asked, head) ? head : asked;
    if (isLiveEventPositionAfter(after, head) || !(await hasAllLiveEventsAfter(reader, orgId, after)))
      return resyncPage(format(upTo));
    const limit = MAX_EVENTS + 1;
    const events = await listLiveEventsAfter(reader, { orgIds: [orgId], after, upTo, limit });
    if (events.length === limit) return resyncPage(format(upTo));
    const batches = extractExchangeBatches(events);
    const { count, rows } = await getLiveBatchMatches(
      reader,
      batches,
      { orgId, ...parseRequestFilters(query) },
      query.limit,
    );
    return {
      count,
      sampled: count > rows.length,
      data: rows.map(toRequestResource),
      live_id: format(isLiveEventPositionAfter(after, upTo) ? after : upTo),
      resync: false,
    };
  },
});

function resyncPage(liveId: string): z.input<typeof requestTailPage> {
  return { count: 0, sampled: false, data: [], live_id: liveId, resync: true };
}

function requirePosition(position: LiveEventPosition | null, param: string): LiveEventPosition {
  if (position === null)
    throw new Fault('invalid_request', `${param}: must be an event id from the event stream`, { param });
  return position;
}

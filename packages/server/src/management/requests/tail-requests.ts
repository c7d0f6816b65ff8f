import { requestTail, requestTailQuery } from '@floe/contract/api/analytics';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { batchesIn } from '../../analytics/live/told.ts';
import { exchangeTail } from '../../store/exchange-tail.ts';
import {
  isLater,
  isReplayable,
  type LivePosition,
  liveEventsAfter,
  liveHead,
  positionIn,
  positionText,
} from '../../store/live-events.ts';
import { readVerb } from '../verb.ts';
import { filtersOf } from './request-filters.ts';
import { requestOf } from './request-row.ts';

/** Events in one answer: half a minute of a flood. Whoever is further behind reads the list again. */
const MOST_EVENTS = 400;

/** What the event stream would have told between two of its ids, for the filters of any list. */
export const tailRequests = readVerb({
  name: 'requests.tail',
  method: 'GET',
  path: '/api/analytics/tail',
  scope: 'management',
  summary: 'List the requests that were recorded between two events, with the exact count of all of them',
  query: requestTailQuery,
  answer: requestTail,
  async run({ orgId, reader }, { query }) {
    const after = place(query.after, 'after');
    const head = await liveHead(reader);
    const asked = query.until === undefined ? head : place(query.until, 'until');
    const upTo = isLater(asked, head) ? head : asked;
    if (isLater(after, head) || !(await isReplayable(reader, orgId, after))) return anew(upTo);
    const limit = MOST_EVENTS + 1;
    const events = await liveEventsAfter(reader, { orgIds: [orgId], after, upTo, limit });
    if (events.length === limit) return anew(upTo);
    const batches = batchesIn(events);
    const { count, rows } = await exchangeTail(reader, batches, { orgId, ...filtersOf(query) }, query.limit);
    return {
      count,
      sampled: count > rows.length,
      data: rows.map(requestOf),
      live_id: positionText(isLater(after, upTo) ? after : upTo),
      resync: false,
    };
  },
});

function anew(upTo: LivePosition): z.input<typeof requestTail> {
  return { count: 0, sampled: false, data: [], live_id: positionText(upTo), resync: true };
}

function place(text: string, param: string): LivePosition {
  const position = positionIn(text);
  if (position === null)
    throw new Fault('invalid_request', `${param}: is no id of the event stream`, { param });
  return position;
}

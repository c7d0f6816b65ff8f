import { eventsQuery, TOPICS, type Topic } from '@floe/contract/api/events';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import type { LiveHub } from '../../analytics/live/hub.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { positionIn } from '../../store/live-events.ts';
import { EventStream, eventStream } from '../event-stream.ts';
import { validate } from '../input.ts';
import { filtersOf } from '../requests/request-filters.ts';
import { requestOf } from '../requests/request-row.ts';
import type { Verb } from '../verb.ts';

/** Those whose scope is `monitoring` see these; everything else is for `management`. */
const OF_MONITORING: ReadonlySet<Topic> = new Set(['monitors', 'alerts']);

/** What happens in the org, as it happens: Server-Sent Events that can be gone on with. */
export function watchEvents(hub: LiveHub): Verb {
  return {
    name: 'events.watch',
    method: 'GET',
    path: '/api/events',
    scope: ['management', 'monitoring'],
    summary: 'Watch what happens as Server-Sent Events; `Last-Event-ID` goes on where a connection broke off',
    status: 200,
    params: z.strictObject({}),
    query: eventsQuery,
    body: null,
    answer: eventStream,
    show: null,
    change: null,
    async perform(_host, actor, { query: given, watch }) {
      const query = validate(eventsQuery, given);
      const topics = new Set(TOPICS.filter((topic) => query.topics.split(',').includes(topic)));
      for (const topic of topics)
        requireActorScope(actor, OF_MONITORING.has(topic) ? 'monitoring' : 'management', 'read');
      const lastEventId = watch?.lastEventId;
      const after = lastEventId === undefined ? null : positionIn(lastEventId);
      if (lastEventId !== undefined && after === null)
        throw new Fault('invalid_request', 'Last-Event-ID: is no id of this stream; leave it out.', {
          param: 'Last-Event-ID',
        });
      const watcher = hub.watch({
        orgId: actor.orgId,
        topics,
        filters: filtersOf(query),
        after,
        isAllowed: watch?.isAllowed ?? (async () => true),
        show: requestOf,
      });
      return { answer: new EventStream(watcher, watcher.cut), tag: null };
    },
  };
}

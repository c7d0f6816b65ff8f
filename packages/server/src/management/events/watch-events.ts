import { EVENT_STREAM_TOPICS, type EventStreamTopic, eventStreamQuery } from '@floe/contract/api/events';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import type { LiveHub } from '../../analytics/live/live-hub.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { EventStreamResponse, eventStreamSchema } from '../event-stream-response.ts';
import type { Operation } from '../operation.ts';
import { parseRequestFilters } from '../requests/request-filters.ts';
import { toRequestResource } from '../requests/request-resource.ts';
import { validateStorableInput } from '../validate-input.ts';

/** Topics for callers with the scope `monitoring`. All other topics require `management`. */
const MONITORING_TOPICS: ReadonlySet<EventStreamTopic> = new Set(['monitors', 'alerts']);

/**
 * Defines the operation that streams the organization's events as Server-Sent Events. Clients can
 * resume with `Last-Event-ID`.
 */
export function defineWatchEventsOperation(hub: LiveHub): Operation {
  return {
    name: 'events.watch',
    method: 'GET',
    path: '/api/events',
    scope: ['management', 'monitoring'],
    summary:
      'Stream live events as server-sent events; `Last-Event-ID` resumes the stream after a lost connection',
    status: 200,
    params: z.strictObject({}),
    query: eventStreamQuery,
    body: null,
    answer: eventStreamSchema,
    readAnswer: null,
    applyChange: null,
    async perform(_host, actor, { query: given, streamContext }) {
      const query = validateStorableInput(eventStreamQuery, given);
      const topics = new Set(EVENT_STREAM_TOPICS.filter((topic) => query.topics.split(',').includes(topic)));
      for (const topic of topics)
        requireActorScope(actor, MONITORING_TOPICS.has(topic) ? 'monitoring' : 'management', 'read');
      const lastEventId = streamContext?.lastEventId;
      const after = lastEventId === undefined ? null : hub.parseEventId(actor.orgId, lastEventId);
      if (lastEventId !== undefined && after === null)
        throw new Fault(
          'invalid_request',
          'Last-Event-ID: must be an event id from this stream. To start with new events, omit the header.',
          {
            param: 'Last-Event-ID',
          },
        );
      const watcher = hub.watch({
        orgId: actor.orgId,
        topics,
        filters: parseRequestFilters(query),
        after,
        isAllowed: streamContext?.isAllowed ?? (async () => true),
        show: toRequestResource,
      });
      return { answer: new EventStreamResponse(watcher, watcher.disconnectSignal), entityTag: null };
    },
  };
}

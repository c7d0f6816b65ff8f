import { EVENT_STREAM_TOPICS, type EventStreamTopic } from '@floe/contract/api/events';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { StoredLiveEvent } from '../../store/live-events.ts';
import { type LiveExchangeBatch, parseLiveExchangeBatch } from '../../store/live-exchange-batches.ts';

/** A message to the watchers of one topic. */
export interface LiveMessage {
  readonly topic: EventStreamTopic;
  readonly data: JsonObject;
}

/** Returns the exchange batches in the events, oldest first. */
export function extractExchangeBatches(events: readonly StoredLiveEvent[]): LiveExchangeBatch[] {
  return events.flatMap(({ topic, data }) =>
    topic === 'requests' && isJsonObject(data) ? (parseLiveExchangeBatch(data) ?? []) : [],
  );
}

/**
 * Converts events to messages. Events of the topic `requests` become only messages with the number of requests that
 * limits and budgets rejected, because their rows are read separately for each filter.
 */
export function toLiveMessages(events: readonly StoredLiveEvent[]): LiveMessage[] {
  return [...events.flatMap(messagesForEvent), ...rejectionMessages(extractExchangeBatches(events))];
}

function messagesForEvent({ topic, at, data }: StoredLiveEvent): LiveMessage[] {
  if (!isJsonObject(data)) return [];
  const stamped = { at: new Date(at).toISOString(), ...withoutTime(data) };
  if (topic === 'audit')
    return topicsOfAction(data['action']).map((name) => ({ topic: name, data: stamped }));
  if (topic === 'alerts') return messagesForAlerts(stamped, data);
  return isTopic(topic) && topic !== 'requests' ? [{ topic, data: stamped }] : [];
}

function withoutTime({ at: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Returns the message for the topic of alerts, and one for each alert's own topic. */
function messagesForAlerts(stamped: JsonObject, { alerts }: JsonObject): LiveMessage[] {
  const found: LiveMessage[] = [{ topic: 'alerts', data: stamped }];
  for (const alert of Array.isArray(alerts) ? alerts : []) {
    const subject = isJsonObject(alert) ? alert['subject'] : null;
    const topic = isJsonObject(subject) ? TOPIC_OF_SUBJECT.get(String(subject['kind'])) : undefined;
    if (topic && isJsonObject(alert))
      found.push({ topic, data: { at: stamped['at'], ...withoutTime(alert) } });
  }
  return found;
}

const TOPIC_OF_SUBJECT: ReadonlyMap<string, EventStreamTopic> = new Map([
  ['monitor', 'monitors'],
  ['budget', 'budgets'],
]);

const TOPIC_OF_ACTION: ReadonlyMap<string, EventStreamTopic> = new Map([
  ['monitors', 'monitors'],
  ['maintenance', 'monitors'],
  ['boards', 'monitors'],
  ['limits', 'limits'],
  ['budgets', 'budgets'],
  ['breakers', 'breakers'],
  ['approvals', 'approvals'],
]);

/** Returns the topics of an audited change: `config`, and in some cases the topic of its resource. */
function topicsOfAction(action: unknown): EventStreamTopic[] {
  const topic = TOPIC_OF_ACTION.get(String(action).split('.', 1)[0] ?? '');
  return topic ? ['config', topic] : ['config'];
}

/** Returns the messages about the number of requests that limits and budgets rejected. */
function rejectionMessages(batches: readonly LiveExchangeBatch[]): LiveMessage[] {
  const sum = (of: (batch: LiveExchangeBatch) => number) =>
    batches.reduce((total, batch) => total + of(batch), 0);
  const [limited, unpaid] = [sum(({ rate_limited }) => rate_limited), sum(({ over_budget }) => over_budget)];
  return [
    ...(limited > 0 ? [{ topic: 'limits', data: { rejected: limited } } as const] : []),
    ...(unpaid > 0 ? [{ topic: 'budgets', data: { rejected: unpaid } } as const] : []),
  ];
}

function isTopic(name: string): name is EventStreamTopic {
  return EVENT_STREAM_TOPICS.some((topic) => topic === name);
}

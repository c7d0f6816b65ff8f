import { TOPICS, type Topic } from '@floe/contract/api/events';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type LiveBatch, liveBatchIn } from '../../store/live-batches.ts';
import type { StoredEvent } from '../../store/live-events.ts';

/** One message to those who watch a topic. */
export interface Told {
  readonly topic: Topic;
  readonly data: JsonObject;
}

/** Batches of exchanges that some events tell of, oldest first. */
export function batchesIn(events: readonly StoredEvent[]): LiveBatch[] {
  return events.flatMap(({ topic, data }) =>
    topic === 'requests' && isObject(data) ? (liveBatchIn(data) ?? []) : [],
  );
}

/** What watchers hear of some events, but for the topic `requests`, whose rows are read for each filter. */
export function toldOf(events: readonly StoredEvent[]): Told[] {
  return [...events.flatMap(ofOne), ...refusals(batchesIn(events))];
}

function ofOne({ topic, at, data }: StoredEvent): Told[] {
  if (!isObject(data)) return [];
  const stamped = { at: new Date(at).toISOString(), ...withoutTime(data) };
  if (topic === 'audit')
    return topicsOfAction(data['action']).map((name) => ({ topic: name, data: stamped }));
  if (topic === 'alerts') return ofAlerts(stamped, data);
  return isTopic(topic) && topic !== 'requests' ? [{ topic, data: stamped }] : [];
}

function withoutTime({ at: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Alerts, and with them the topics of what they are about. */
function ofAlerts(stamped: JsonObject, { alerts }: JsonObject): Told[] {
  const found: Told[] = [{ topic: 'alerts', data: stamped }];
  for (const alert of Array.isArray(alerts) ? alerts : []) {
    const subject = isObject(alert) ? alert['subject'] : null;
    const topic = isObject(subject) ? TOPIC_OF_SUBJECT.get(String(subject['kind'])) : undefined;
    if (topic && isObject(alert)) found.push({ topic, data: { at: stamped['at'], ...withoutTime(alert) } });
  }
  return found;
}

const TOPIC_OF_SUBJECT: ReadonlyMap<string, Topic> = new Map([
  ['monitor', 'monitors'],
  ['budget', 'budgets'],
]);

const TOPIC_OF_ACTION: ReadonlyMap<string, Topic> = new Map([
  ['monitors', 'monitors'],
  ['maintenance', 'monitors'],
  ['boards', 'monitors'],
  ['limits', 'limits'],
  ['budgets', 'budgets'],
  ['breakers', 'breakers'],
  ['approvals', 'approvals'],
]);

/** Every change is one of the configuration; some are also one of what people watch. */
function topicsOfAction(action: unknown): Topic[] {
  const topic = TOPIC_OF_ACTION.get(String(action).split('.', 1)[0] ?? '');
  return topic ? ['config', topic] : ['config'];
}

/** How many requests limits and budgets refused. */
function refusals(batches: readonly LiveBatch[]): Told[] {
  const sum = (of: (batch: LiveBatch) => number) => batches.reduce((total, batch) => total + of(batch), 0);
  const [limited, unpaid] = [sum(({ limited }) => limited), sum(({ unpaid }) => unpaid)];
  return [
    ...(limited > 0 ? [{ topic: 'limits', data: { refused: limited } } as const] : []),
    ...(unpaid > 0 ? [{ topic: 'budgets', data: { refused: unpaid } } as const] : []),
  ];
}

function isTopic(name: string): name is Topic {
  return TOPICS.some((topic) => topic === name);
}

import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import { insertAlertDeliveries, type NewAlertDeliveryRow } from '../store/alert-deliveries.ts';
import { listChannelsOfOpenAlerts } from '../store/alert-threads.ts';
import {
  type AlertRow,
  closeAlerts,
  hasUnroutedAlert,
  listOpenAlertsOfSubjects,
  listUnroutedAlerts,
  markAlertsRouted,
} from '../store/alerts.ts';
import { type ChannelRow, listAllChannels } from '../store/channels.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import { getAlertTags } from './alert.ts';
import { managesIncidents } from './channels/channel-definitions.ts';
import { skipEndedFailures } from './skip-ended-failures.ts';
import { parseAlertRow } from './stored-alert.ts';
import { type ChannelSubscription, parseChannelSubscription } from './stored-channel.ts';

/** Maximum number of alerts per transaction. */
const ALERTS_PER_ROUND = 500;
/**
 * Maximum number of deliveries that a transaction creates or skips, unless a single alert has more, so that other
 * changes and beats do not wait long.
 */
export const MAX_DELIVERIES_PER_ROUND = 500;

/** Determines which organization is next in this process. */
export interface AlertRoutingTurn {
  /** The organization whose alert was processed last. The next transaction begins with the following one. */
  lastOrgId: string;
}

/**
 * Creates the deliveries of new alerts, one per subscribed channel. Alerts of one organization are processed in
 * order, and organizations in turn. A closing alert also closes the open alerts about its subject. The result
 * `more` is true if further alerts may be waiting.
 */
export async function createAlertDeliveries(
  database: Database,
  clock: Clock,
  turn: AlertRoutingTurn = { lastOrgId: '' },
): Promise<{ readonly more: boolean }> {
  // Read without a transaction first, so that an idle installation opens no write transaction.
  if (!(await hasUnroutedAlert(database.read))) return { more: false };
  return database.transaction(async (writer) => {
    const waiting = await listUnroutedAlerts(writer, ALERTS_PER_ROUND, turn.lastOrgId);
    // Another process may have created the deliveries.
    if (waiting.length === 0) return { more: false };
    const { alerts, deliveries } = await planDeliveries(writer, waiting, clock.now());
    await insertAlertDeliveries(writer, deliveries);
    await closeEndedAlerts(writer, alerts);
    const closing = alerts.flatMap(({ id, phase }) => (phase === 'closes' ? [id] : []));
    await skipEndedFailures(writer, closing, clock.now());
    const seqs = alerts.map(({ seq }) => seq);
    await markAlertsRouted(writer, seqs, clock.now());
    turn.lastOrgId = alerts.at(-1)?.org_id ?? '';
    return { more: true };
  });
}

/** Returns the first of the alerts and their deliveries, as many as one transaction may insert. */
async function planDeliveries(writer: DatabaseWriter, waiting: readonly AlertRow[], nowMs: number) {
  const channels = await loadChannels(writer, [...new Set(waiting.map(({ org_id }) => org_id))]);
  const notified = await loadNotifiedChannels(writer, waiting);
  const alerts: AlertRow[] = [];
  const deliveries: NewAlertDeliveryRow[] = [];
  let total = 0;
  for (const alert of waiting) {
    const own = channels.get(alert.org_id) ?? [];
    const key = subjectKey(alert);
    const recipients = selectChannels(alert, own, notified.get(key));
    // A closing alert can cause its opening delivery to be skipped in each of these channels.
    const ended = alert.phase === 'closes' ? (notified.get(key)?.size ?? 0) : 0;
    total += Math.max(recipients.length, ended);
    if (alerts.length > 0 && total > MAX_DELIVERIES_PER_ROUND) break;
    alerts.push(alert);
    // The alert that closes it may be in the same transaction.
    if (alert.phase === 'opens') notified.set(key, new Set(recipients.map(({ id }) => id)));
    deliveries.push(...recipients.map((channel) => createDelivery(alert, channel, nowMs)));
  }
  return { alerts, deliveries };
}

interface SubscribedChannel {
  readonly row: ChannelRow;
  readonly subscription: ChannelSubscription;
}

async function loadChannels(
  writer: DatabaseWriter,
  orgIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SubscribedChannel[]>> {
  const byOrg = new Map<string, SubscribedChannel[]>();
  for (const row of await listAllChannels(writer, orgIds)) {
    const others = byOrg.get(row.org_id);
    const listener = { row, subscription: parseChannelSubscription(row) };
    if (others) others.push(listener);
    else byOrg.set(row.org_id, [listener]);
  }
  return byOrg;
}

function subjectKey({ org_id, subject_kind, subject_id }: AlertSubjectColumns): string {
  return JSON.stringify([org_id, subject_kind, subject_id]);
}

type AlertSubjectColumns = Pick<AlertRow, 'org_id' | 'subject_kind' | 'subject_id'>;

/** Returns the ids of the channels that have a message about an open alert which one of the alerts closes. */
async function loadNotifiedChannels(
  writer: DatabaseWriter,
  alerts: readonly AlertRow[],
): Promise<Map<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  const closing = alerts.filter(({ phase }) => phase === 'closes');
  for (const [orgId, own] of Map.groupBy(closing, ({ org_id }) => org_id)) {
    const subjects = new Set(own.map(({ subject_id }) => subject_id));
    for (const row of await listChannelsOfOpenAlerts(writer, orgId, [...subjects])) {
      const key = subjectKey({ org_id: orgId, ...row });
      found.set(key, new Set(found.get(key)).add(row.channel_id));
    }
  }
  return found;
}

/**
 * Returns the channels that receive an alert. A closing alert is also sent to the channels that received the
 * opening one, even if their names or the tags of the monitor have changed since. If the receiver manages
 * incidents, the event does not matter either, because no one else would resolve the incident.
 */
function selectChannels(
  row: AlertRow,
  channels: readonly SubscribedChannel[],
  notified: ReadonlySet<string> | undefined,
): ChannelRow[] {
  const alert = parseAlertRow(row);
  const tags = getAlertTags(alert);
  const named = channels.filter(({ row: channel }) => alert.channels?.includes(channel.name));
  // If every named channel was deleted or renamed, the alert must still reach someone.
  const candidates = new Set(named.length > 0 ? named : channels);
  const isAbout = ({ tags: wanted }: ChannelSubscription) =>
    wanted.length === 0 || alert.subject.kind !== 'monitor' || wanted.some((tag) => tags.includes(tag));
  return channels
    .filter((channel) => {
      const { row: stored, subscription } = channel;
      const wantsEvent = subscription.events === null || subscription.events.includes(alert.event);
      if (stored.enabled !== 1) return false;
      if (row.phase === 'closes' && notified?.has(stored.id)) return wantsEvent || managesIncidents(stored);
      return wantsEvent && candidates.has(channel) && isAbout(subscription);
    })
    .map((channel) => channel.row);
}

function createDelivery(alert: AlertRow, channel: ChannelRow, nowMs: number): NewAlertDeliveryRow {
  return {
    id: createId('dlv', nowMs),
    org_id: alert.org_id,
    alert_id: alert.id,
    alert_seq: alert.seq,
    channel_id: channel.id,
    channel_name: channel.name,
    repetition: 0,
    state: 'pending',
    pending_reason: null,
    created_at: nowMs,
    due_at: nowMs,
    attempts: 0,
    sent_at: null,
    status: null,
    error: null,
    grouped_into: null,
  };
}

/**
 * Closes open alerts: a closing alert closes the open alert about its subject, and an opening alert replaces
 * an older one.
 */
async function closeEndedAlerts(writer: DatabaseWriter, alerts: readonly AlertRow[]): Promise<void> {
  const lasting = new Map<string, number[]>();
  for (const orgId of new Set(alerts.map(({ org_id }) => org_id))) {
    const subjects = new Set(
      alerts.filter(({ org_id }) => org_id === orgId).map(({ subject_id }) => subject_id),
    );
    for (const { seq, subject_kind, subject_id } of await listOpenAlertsOfSubjects(writer, orgId, [
      ...subjects,
    ])) {
      const key = subjectKey({ org_id: orgId, subject_kind, subject_id });
      lasting.set(key, [...(lasting.get(key) ?? []), seq]);
    }
  }
  for (const { seq, org_id, subject_kind, subject_id, phase, at } of alerts) {
    const key = subjectKey({ org_id, subject_kind, subject_id });
    if (phase !== 'info') {
      await closeAlerts(writer, lasting.get(key) ?? [], at);
      lasting.delete(key);
    }
    if (phase === 'opens') lasting.set(key, [seq]);
    else await closeAlerts(writer, [seq], at);
  }
}

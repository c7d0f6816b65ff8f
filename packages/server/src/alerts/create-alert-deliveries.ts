import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import { insertAlertDeliveries, type NewAlertDeliveryRow } from '../store/alert-deliveries.ts';
import {
  type AlertRow,
  closeAlerts,
  listOpenAlertsOfSubjects,
  listUnroutedAlerts,
  markAlertsRouted,
} from '../store/alerts.ts';
import { type ChannelRow, listAllChannels } from '../store/channels.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import { getAlertTags } from './alert.ts';
import { parseAlertRow } from './stored-alert.ts';
import { type ChannelSubscription, parseChannelSubscription } from './stored-channel.ts';

/**
 * Number of alerts per transaction, which then takes some milliseconds, so that other changes do not wait
 * long.
 */
const ALERTS_PER_ROUND = 500;

/**
 * Creates the deliveries of new alerts in order, one per subscribed channel. A closing alert also closes the
 * open alerts about its subject. The result `more` is true if further alerts may be waiting.
 */
export async function createAlertDeliveries(
  database: Database,
  clock: Clock,
): Promise<{ readonly more: boolean }> {
  // Read without a transaction first, so that an idle installation opens no write transaction.
  if ((await listUnroutedAlerts(database.read, 1)).length === 0) return { more: false };
  const taken = await database.transaction(async (writer) => {
    const alerts = await listUnroutedAlerts(writer, ALERTS_PER_ROUND);
    if (alerts.length === 0) return 0;
    const channels = await loadSubscribedChannels(writer);
    await insertAlertDeliveries(
      writer,
      alerts.flatMap((alert) => deliveriesFor(alert, channels.get(alert.org_id) ?? [], clock.now())),
    );
    await closeEndedAlerts(writer, alerts);
    await markAlertsRouted(
      writer,
      alerts.map(({ seq }) => seq),
      clock.now(),
    );
    return alerts.length;
  });
  return { more: taken === ALERTS_PER_ROUND };
}

interface SubscribedChannel {
  readonly row: ChannelRow;
  readonly subscription: ChannelSubscription;
}

async function loadSubscribedChannels(
  writer: DatabaseWriter,
): Promise<ReadonlyMap<string, readonly SubscribedChannel[]>> {
  const byOrg = new Map<string, SubscribedChannel[]>();
  for (const row of await listAllChannels(writer)) {
    if (row.enabled === 0) continue;
    const others = byOrg.get(row.org_id);
    const listener = { row, subscription: parseChannelSubscription(row) };
    if (others) others.push(listener);
    else byOrg.set(row.org_id, [listener]);
  }
  return byOrg;
}

function deliveriesFor(
  row: AlertRow,
  channels: readonly SubscribedChannel[],
  nowMs: number,
): NewAlertDeliveryRow[] {
  const alert = parseAlertRow(row);
  const tags = getAlertTags(alert);
  const wants = ({ row: channel, subscription }: SubscribedChannel) =>
    (alert.channels === null || alert.channels.includes(channel.name)) &&
    (subscription.events === null || subscription.events.includes(alert.event)) &&
    (subscription.tags.length === 0 ||
      alert.subject.kind !== 'monitor' ||
      subscription.tags.some((tag) => tags.includes(tag)));
  return channels.filter(wants).map(({ row: channel }) => ({
    id: createId('dlv', nowMs),
    org_id: row.org_id,
    alert_id: row.id,
    alert_seq: row.seq,
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
  }));
}

/**
 * Closes open alerts: a closing alert closes the open alert about its subject, and an opening alert replaces
 * an older one.
 */
async function closeEndedAlerts(writer: DatabaseWriter, alerts: readonly AlertRow[]): Promise<void> {
  const lasting = new Map<string, number[]>();
  const keyOf = (orgId: string, kind: string, id: string) => JSON.stringify([orgId, kind, id]);
  for (const orgId of new Set(alerts.map(({ org_id }) => org_id))) {
    const subjects = new Set(
      alerts.filter(({ org_id }) => org_id === orgId).map(({ subject_id }) => subject_id),
    );
    for (const { seq, subject_kind, subject_id } of await listOpenAlertsOfSubjects(writer, orgId, [
      ...subjects,
    ])) {
      const key = keyOf(orgId, subject_kind, subject_id);
      lasting.set(key, [...(lasting.get(key) ?? []), seq]);
    }
  }
  for (const { seq, org_id, subject_kind, subject_id, phase, at } of alerts) {
    const key = keyOf(org_id, subject_kind, subject_id);
    if (phase !== 'info') {
      await closeAlerts(writer, lasting.get(key) ?? [], at);
      lasting.delete(key);
    }
    if (phase === 'opens') lasting.set(key, [seq]);
    else await closeAlerts(writer, [seq], at);
  }
}

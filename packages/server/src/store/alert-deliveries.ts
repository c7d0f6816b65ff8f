import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { AlertDeliveriesTable } from './alert-tables.ts';
import type { AlertRow } from './alerts.ts';
import type { ChannelRow } from './channels.ts';
import { publishLiveEvent } from './live-events.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type AlertDeliveryRow = Selectable<AlertDeliveriesTable>;
export type NewAlertDeliveryRow = Insertable<AlertDeliveriesTable>;
/** The columns of a delivery that can be updated. */
export type AlertDeliveryUpdate = Pick<
  Updateable<AlertDeliveriesTable>,
  'state' | 'pending_reason' | 'due_at' | 'attempts' | 'sent_at' | 'status' | 'error' | 'grouped_into'
> & { readonly created_at?: number };

const ROWS_PER_STATEMENT = 1_000;

/**
 * Inserts deliveries. Ignores a delivery if one with the same alert, channel and repetition already
 * exists.
 */
export async function insertAlertDeliveries(
  writer: DatabaseWriter,
  rows: readonly NewAlertDeliveryRow[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await writer
      .insertInto('alert_deliveries')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) => conflict.columns(['alert_id', 'channel_id', 'repetition']).doNothing())
      .execute();
}

/** Updates the same columns of several deliveries. */
export async function updateAlertDeliveries(
  writer: DatabaseWriter,
  ids: readonly string[],
  change: AlertDeliveryUpdate,
): Promise<void> {
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT)
    await writer
      .updateTable('alert_deliveries')
      .set(change)
      .where('id', 'in', ids.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
}

/** Maximum number of alerts of one message that are published individually to event streams. */
const MAX_PUBLISHED_ALERTS = 100;

/**
 * Stores whether one message to a channel was delivered, and publishes the outcome to event
 * streams.
 *
 * @param deliveries the deliveries that the message combines, all from one organization and one
 * channel
 * @param at time in Unix milliseconds
 */
export async function recordAlertDeliveryOutcome(
  writer: DatabaseWriter,
  deliveries: readonly Pick<AlertDeliveryRow, 'id' | 'org_id' | 'alert_id' | 'channel_name'>[],
  change: AlertDeliveryUpdate & { readonly state: string },
  at: number,
): Promise<void> {
  await updateAlertDeliveries(
    writer,
    deliveries.map(({ id }) => id),
    change,
  );
  const [first] = deliveries;
  if (!first) return;
  const { org_id: orgId, channel_name: channel } = first;
  await publishDeliveryOutcome(writer, deliveries, { orgId, channel, state: change.state, at });
}

/** If a delivery will not be sent, moves the deliveries that are grouped into it to the first of them. */
export async function regroupAlertDeliveries(writer: DatabaseWriter, channelId: string): Promise<void> {
  const members = await writer
    .selectFrom('alert_deliveries as member')
    .innerJoin('alert_deliveries as first', 'first.id', 'member.grouped_into')
    .select(['member.id', 'first.id as group'])
    .where('member.channel_id', '=', channelId)
    .where('member.state', '=', 'pending')
    .where('first.state', '!=', 'pending')
    .orderBy('member.seq')
    .execute();
  for (const [group, [next]] of Map.groupBy(members, (member) => member.group))
    await writer
      .updateTable('alert_deliveries')
      .set({ grouped_into: sql`nullif(${next?.id}, id)` })
      .where('channel_id', '=', channelId)
      .where('state', '=', 'pending')
      .where('grouped_into', '=', group)
      .execute();
}

/** The outcome of deliveries of one channel. */
interface DeliveryOutcomeEvent {
  readonly orgId: string;
  /** Name of the channel. */
  readonly channel: string;
  readonly state: string;
  readonly at: number;
}

/** Publishes the outcome of deliveries to event streams. */
export async function publishDeliveryOutcome(
  writer: DatabaseWriter,
  deliveries: readonly Pick<AlertDeliveryRow, 'alert_id'>[],
  { orgId, channel, state, at }: DeliveryOutcomeEvent,
): Promise<void> {
  if (deliveries.length === 0) return;
  const alert_ids = deliveries.slice(0, MAX_PUBLISHED_ALERTS).map(({ alert_id }) => alert_id);
  const data = { channel, state, alert_ids };
  await publishLiveEvent(writer, { orgId, topic: 'alerts', at, data });
}

/** A delivery that has not been sent yet, with its alert. */
export interface PendingAlertDelivery {
  readonly delivery: AlertDeliveryRow;
  readonly alert: AlertRow;
}

/**
 * Selects up to `limit` due deliveries of a channel, and prefers deliveries that were never
 * attempted. Adds all other pending deliveries with the same subject or message. Returns them in
 * delivery order.
 */
export async function listPendingAlertDeliveries(
  reader: DatabaseReader,
  channelId: string,
  nowMs: number,
  limit: number,
): Promise<PendingAlertDelivery[]> {
  const owed = () =>
    reader
      .selectFrom('alert_deliveries')
      .innerJoin('alerts', 'alerts.id', 'alert_deliveries.alert_id')
      .selectAll('alert_deliveries')
      .where('alert_deliveries.channel_id', '=', channelId)
      .where('alert_deliveries.state', '=', 'pending');
  const due = await owed()
    .where('alert_deliveries.due_at', '<=', nowMs)
    .where('alert_deliveries.grouped_into', 'is', null)
    .orderBy(sql`case when alert_deliveries.attempts = 0 then 0 else 1 end`)
    .orderBy('alert_deliveries.seq')
    .limit(limit)
    .execute();
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  const subjects = reader
    .selectFrom('alerts')
    .select('subject_id')
    .where(
      'id',
      'in',
      due.map(({ alert_id }) => alert_id),
    );
  const related = await owed()
    .where(({ eb, or }) =>
      or([eb('alerts.subject_id', 'in', subjects), eb('alert_deliveries.grouped_into', 'in', ids)]),
    )
    .execute();
  const deliveries = [...new Map([...due, ...related].map((row) => [row.id, row])).values()].sort(
    (one, other) => one.seq - other.seq,
  );
  const alerts = await loadAlertsById(
    reader,
    deliveries.map(({ alert_id }) => alert_id),
  );
  return deliveries.flatMap((delivery) => {
    const alert = alerts.get(delivery.alert_id);
    return alert ? [{ delivery, alert }] : [];
  });
}

async function loadAlertsById(
  reader: DatabaseReader,
  ids: readonly string[],
): Promise<Map<string, AlertRow>> {
  const found = new Map<string, AlertRow>();
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
    const rows = await reader
      .selectFrom('alerts')
      .selectAll()
      .where('id', 'in', ids.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

/** Returns the deliveries of the given alerts, in creation order. */
export function listDeliveriesOfAlerts(
  reader: DatabaseReader,
  alertIds: readonly string[],
): Promise<AlertDeliveryRow[]> {
  if (alertIds.length === 0) return Promise.resolve([]);
  return reader
    .selectFrom('alert_deliveries')
    .selectAll()
    .where('alert_id', 'in', alertIds)
    .orderBy('seq')
    .execute();
}

/** Returns an organization's delivery with this id. */
export function findAlertDeliveryById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<AlertDeliveryRow | undefined> {
  return reader
    .selectFrom('alert_deliveries')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Makes a message due now and resets its number of attempts. The message is sent even if its alert is muted.
 * Also ends the backoff of its channel.
 */
export async function requeueAlertDelivery(
  writer: DatabaseWriter,
  row: AlertDeliveryRow,
  nowMs: number,
): Promise<void> {
  const fresh = { state: 'pending', pending_reason: 'requested', due_at: nowMs, attempts: 0 };
  const unsent = { status: null, error: null, sent_at: null, grouped_into: null };
  await recordAlertDeliveryOutcome(writer, [row], { ...fresh, ...unsent }, nowMs);
  await writer.updateTable('channels').set({ backoff_until: 0 }).where('id', '=', row.channel_id).execute();
}

/** Marks a channel's pending deliveries as failed, and records the reason. */
export async function failPendingAlertDeliveries(
  writer: DatabaseWriter,
  channel: Pick<ChannelRow, 'id' | 'org_id' | 'name'>,
  error: string,
  nowMs: number,
): Promise<void> {
  const state = 'failed';
  const given = await writer
    .updateTable('alert_deliveries')
    .set({ state, error, pending_reason: null })
    .where('channel_id', '=', channel.id)
    .where('state', '=', 'pending')
    .returning('alert_id')
    .execute();
  await publishDeliveryOutcome(writer, given, {
    orgId: channel.org_id,
    channel: channel.name,
    state,
    at: nowMs,
  });
}

/**
 * Returns the number of pending deliveries plus the number of alerts that have no deliveries yet.
 */
export async function countAlertBacklog(reader: DatabaseReader): Promise<number> {
  const pending = await reader
    .selectFrom('alert_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  const unrouted = await reader
    .selectFrom('alerts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('routed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(pending.count) + Number(unrouted.count);
}

/**
 * Corrects the due times of pending deliveries, and the leases and backoffs of channels, after the clock was
 * set back to `nowMs`. Moves times after `nowMs` back by `aheadMs`. Otherwise, deliveries would be late by
 * `aheadMs`.
 */
export async function shiftFutureAlertTimes(
  writer: DatabaseWriter,
  nowMs: number,
  aheadMs: number,
): Promise<void> {
  for (const column of ['created_at', 'due_at'] as const)
    await writer
      .updateTable('alert_deliveries')
      .set(({ eb }) => ({ [column]: eb(column, '-', aheadMs) }))
      .where('state', '=', 'pending')
      .where(column, '>', nowMs)
      .execute();
  for (const column of ['leased_until', 'backoff_until'] as const)
    await writer
      .updateTable('channels')
      .set(({ eb }) => ({ [column]: eb(column, '-', aheadMs) }))
      .where(column, '>', nowMs)
      .execute();
}

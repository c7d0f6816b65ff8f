import type { AlertDeliveryRow } from './alert-deliveries.ts';
import type { AlertRow } from './alerts.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/**
 * Returns the delivery that announced an alert in the given channel. `closing` is the entry that ends
 * the alert. Returns undefined if the channel has no such delivery.
 */
export function findOpeningAlertDelivery(
  reader: DatabaseReader,
  channelId: string,
  closing: Pick<AlertRow, 'org_id' | 'subject_kind' | 'subject_id' | 'seq'>,
): Promise<(AlertDeliveryRow & { readonly opened_at: number }) | undefined> {
  return reader
    .selectFrom('alerts')
    .innerJoin('alert_deliveries', 'alert_deliveries.alert_id', 'alerts.id')
    .selectAll('alert_deliveries')
    .select('alerts.at as opened_at')
    .where('alerts.org_id', '=', closing.org_id)
    .where('alerts.subject_kind', '=', closing.subject_kind)
    .where('alerts.subject_id', '=', closing.subject_id)
    .where('alerts.seq', '<', closing.seq)
    .where('alerts.phase', '=', 'opens')
    .where('alert_deliveries.channel_id', '=', channelId)
    .where('alert_deliveries.repetition', '=', 0)
    .orderBy('alerts.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns whether any alert in the message thread `thread` is still open. */
export async function hasOpenAlertInThread(
  reader: DatabaseReader,
  channelId: string,
  thread: string,
): Promise<boolean> {
  const row = await reader
    .selectFrom('alert_deliveries')
    .innerJoin('alerts', 'alerts.id', 'alert_deliveries.alert_id')
    .select('alerts.seq')
    .where('alert_deliveries.channel_id', '=', channelId)
    .where(({ eb, or }) =>
      or([eb('alert_deliveries.id', '=', thread), eb('alert_deliveries.grouped_into', '=', thread)]),
    )
    .where('alerts.closed_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns how many times the subject failed again after the first message of `thread` without a separate
 * message.
 */
export async function countRepeatedFailuresInThread(
  reader: DatabaseReader,
  channelId: string,
  thread: string,
  { subject_kind, subject_id }: Pick<AlertRow, 'subject_kind' | 'subject_id'>,
): Promise<number> {
  const row = await reader
    .selectFrom('alert_deliveries')
    .innerJoin('alerts', 'alerts.id', 'alert_deliveries.alert_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('alert_deliveries.channel_id', '=', channelId)
    .where('alert_deliveries.grouped_into', '=', thread)
    .where('alert_deliveries.state', '=', 'skipped')
    .where('alerts.phase', '=', 'opens')
    .where('alerts.subject_kind', '=', subject_kind)
    .where('alerts.subject_id', '=', subject_id)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/**
 * Returns when the first message of each opening alert was sent to a channel after `fromMs`,
 * oldest first.
 */
export async function listAlertSendTimes(
  reader: DatabaseReader,
  channelId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  limit: number,
): Promise<number[]> {
  const rows = await reader
    .selectFrom('alert_deliveries')
    .innerJoin('alerts', 'alerts.id', 'alert_deliveries.alert_id')
    .select('alert_deliveries.sent_at')
    .where('alert_deliveries.channel_id', '=', channelId)
    .where('alert_deliveries.sent_at', '>', fromMs)
    // Later times are from a clock that was set back.
    .where('alert_deliveries.sent_at', '<=', toMs)
    .where('alert_deliveries.grouped_into', 'is', null)
    .where('alert_deliveries.repetition', '=', 0)
    .where('alert_deliveries.state', '=', 'sent')
    .where('alerts.phase', '=', 'opens')
    .orderBy('alert_deliveries.sent_at')
    .limit(limit)
    .execute();
  return rows.flatMap(({ sent_at }) => (sent_at === null ? [] : [sent_at]));
}

/** A channel that has a message about an open alert. */
export interface OpenAlertChannel {
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly channel_id: string;
}

/** Returns the channels that have a message about an open alert of one of the subjects. */
export function listChannelsOfOpenAlerts(
  reader: DatabaseReader,
  orgId: string,
  subjectIds: readonly string[],
): Promise<OpenAlertChannel[]> {
  return reader
    .selectFrom('alerts')
    .innerJoin('alert_deliveries', 'alert_deliveries.alert_id', 'alerts.id')
    .select(['alerts.subject_kind', 'alerts.subject_id', 'alert_deliveries.channel_id'])
    .distinct()
    .where('alerts.org_id', '=', orgId)
    .where('alerts.subject_id', 'in', subjectIds)
    .where('alerts.phase', '=', 'opens')
    .where('alerts.closed_at', 'is', null)
    .execute();
}

/**
 * Moves the waits of messages and channels back after the clock was set back to `nowMs`. Otherwise, they would
 * be longer by `aheadMs`. A wait that began before the clock was wrong becomes shorter.
 */
export async function rewindAlertTimes(
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

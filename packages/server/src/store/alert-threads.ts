import type { SqlBool } from 'kysely';
import type { AlertDeliveryRow } from './alert-deliveries.ts';
import type { AlertRow } from './alerts.ts';
import type { DatabaseReader } from './store-interfaces.ts';

const IDS_PER_STATEMENT = 1_000;

/** The delivery that announced an alert in a channel. */
export interface OpeningAlertDelivery extends AlertDeliveryRow {
  readonly opened_at: number;
  /** Whether this delivery or a repetition of it was sent. A number in SQLite. */
  readonly was_sent: SqlBool;
}

/**
 * Returns the delivery that announced an alert in the given channel. `closing` is the entry that ends
 * the alert. Returns undefined if the channel has no such delivery, or if a recovery was sent to it since then: the
 * channel may have missed a later alert, for example because it was disabled.
 */
export async function findOpeningAlertDelivery(
  reader: DatabaseReader,
  channelId: string,
  closing: Pick<AlertRow, 'org_id' | 'subject_kind' | 'subject_id' | 'seq'>,
): Promise<OpeningAlertDelivery | undefined> {
  // The last opening is selected first. Otherwise, PostgreSQL can search all deliveries to compute `was_sent`.
  const opening = reader
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
    .limit(1);
  const found = await reader
    .selectFrom(opening.as('opening'))
    .selectAll('opening')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('alert_deliveries as message')
          .select('message.seq')
          .whereRef('message.alert_id', '=', 'opening.alert_id')
          .where('message.channel_id', '=', channelId)
          .where('message.state', '=', 'sent'),
      ).as('was_sent'),
    )
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('alerts as recovery')
          .innerJoin('alert_deliveries as message', 'message.alert_id', 'recovery.id')
          .select('recovery.seq')
          .where('recovery.org_id', '=', closing.org_id)
          .where('recovery.subject_kind', '=', closing.subject_kind)
          .where('recovery.subject_id', '=', closing.subject_id)
          .whereRef('recovery.seq', '>', 'opening.alert_seq')
          .where('recovery.seq', '<', closing.seq)
          .where('recovery.phase', '=', 'closes')
          .where('message.channel_id', '=', channelId)
          .where('message.state', '=', 'sent'),
      ).as('was_closed'),
    )
    .executeTakeFirst();
  return found?.was_closed ? undefined : found;
}

/**
 * Returns the message threads of a channel's deliveries by delivery id. A repeated alert belongs to the thread
 * of its first message, so that a receiver opens no second incident.
 */
export async function getAlertThreads(
  reader: DatabaseReader,
  channelId: string,
  deliveries: readonly Pick<AlertDeliveryRow, 'id' | 'alert_id' | 'repetition'>[],
): Promise<ReadonlyMap<string, string>> {
  const repeated = deliveries.filter(({ repetition }) => repetition > 0);
  const threadByAlert = new Map<string, string>();
  for (let at = 0; at < repeated.length; at += IDS_PER_STATEMENT) {
    const ids = repeated.slice(at, at + IDS_PER_STATEMENT).map(({ alert_id }) => alert_id);
    const rows = await reader
      .selectFrom('alert_deliveries')
      .select(['id', 'alert_id', 'grouped_into'])
      .where('alert_id', 'in', ids)
      .where('channel_id', '=', channelId)
      .where('repetition', '=', 0)
      .execute();
    for (const { id, alert_id, grouped_into } of rows) threadByAlert.set(alert_id, grouped_into ?? id);
  }
  return new Map(
    deliveries.map(({ id, alert_id, repetition }) => [
      id,
      repetition === 0 ? id : (threadByAlert.get(alert_id) ?? id),
    ]),
  );
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
 * Counts the failures of the subject that were added to `thread` after its first message. Floe sent no
 * separate message for them.
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
export interface ChannelWithOpenAlert {
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly channel_id: string;
}

/** Returns the channels that have a message about an open alert of one of the subjects. */
export function listChannelsOfOpenAlerts(
  reader: DatabaseReader,
  orgId: string,
  subjectIds: readonly string[],
): Promise<ChannelWithOpenAlert[]> {
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

import { type RawBuilder, sql } from 'kysely';
import type { AlertDeliveryRow } from './alert-deliveries.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/**
 * The delivery of a failure that has ended before the first delivery attempt, and earlier deliveries to the same
 * channel.
 */
export interface EndedFailure {
  readonly org_id: string;
  readonly channel_id: string;
  readonly channel_name: string;
  readonly opening_id: string;
  readonly opening_alert_id: string;
  /** The delivery of the recovery that ends this failure. Null if the channel does not receive it. */
  readonly closing_id: string | null;
  readonly closing_alert_id: string;
  /** The delivery of the previous failure about the same subject, and the delivery of the message that contains it. */
  readonly failure_id: string | null;
  readonly failure_thread: string | null;
  readonly failure_thread_state: string | null;
  /** The delivery of the recovery that ended the previous failure. */
  readonly recovery_id: string | null;
  readonly recovery_alert_id: string | null;
  readonly recovery_state: string | null;
  /** Why the recovery was skipped, or why its last attempt failed. */
  readonly recovery_error: string | null;
  /** Whether no attempt has begun, the recovery is not combined with others, and no user requested a retry. */
  readonly is_recovery_unsent: number | boolean | null;
  /** The delivery because of which the recovery was skipped, and its state. */
  readonly recovery_group: string | null;
  readonly recovery_group_state: string | null;
}

/** Returns the sequence number of the newest alert of a phase about the same subject as `alias` and before it. */
function previousAlert(alias: string, phase: 'opens' | 'closes'): RawBuilder<number> {
  const { ref } = sql;
  return sql<number>`(select seq from alerts where org_id = ${ref(`${alias}.org_id`)}
    and subject_kind = ${ref(`${alias}.subject_kind`)} and subject_id = ${ref(`${alias}.subject_id`)}
    and seq < ${ref(`${alias}.seq`)} and phase = ${phase} order by seq desc limit 1)`;
}

const isUnsent = (alias: string) =>
  sql`(${sql.ref(`${alias}.attempts`)} = 0 and ${sql.ref(`${alias}.grouped_into`)} is null
    and coalesce(${sql.ref(`${alias}.pending_reason`)}, '') <> 'requested')`;

/** Whether a process may be sending the recovery, or other deliveries wait to be sent in the same message. */
const isBeingSent = (nowMs: number) =>
  sql`(exists (select 1 from channels where channels.id = recovery.channel_id and channels.leased_until > ${nowMs})
    or exists (select 1 from alert_deliveries member where member.channel_id = recovery.channel_id
      and member.state = 'pending' and member.grouped_into = recovery.id))`;

/** Returns the unsent failures that the given alerts end, in order, with the deliveries that precede them. */
export async function listEndedFailures(
  reader: DatabaseReader,
  closingAlertIds: readonly string[],
  nowMs: number,
): Promise<readonly EndedFailure[]> {
  if (closingAlertIds.length === 0) return [];
  const { rows } = await sql<EndedFailure>`
    select opening.org_id, opening.channel_id, opening.channel_name,
      opening.id as opening_id, opening.alert_id as opening_alert_id,
      closing.id as closing_id, c.id as closing_alert_id,
      failure.id as failure_id,
      coalesce(thread.id, failure.id) as failure_thread, coalesce(thread.state, failure.state) as failure_thread_state,
      recovery.id as recovery_id, recovery.alert_id as recovery_alert_id, recovery.state as recovery_state,
      recovery.error as recovery_error,
      (${isUnsent('recovery')} and not ${isBeingSent(nowMs)}) as is_recovery_unsent,
      recovery_group.id as recovery_group, recovery_group.state as recovery_group_state
    from alerts c
    join alerts o on o.seq = ${previousAlert('c', 'opens')}
    join alert_deliveries opening on opening.alert_id = o.id and opening.repetition = 0
      and opening.state = 'pending' and ${isUnsent('opening')}
    left join alert_deliveries closing on closing.alert_id = c.id and closing.channel_id = opening.channel_id
      and closing.repetition = 0 and closing.state = 'pending'
    left join alerts f on f.seq = ${previousAlert('o', 'opens')}
    left join alert_deliveries failure on failure.alert_id = f.id and failure.channel_id = opening.channel_id
      and failure.repetition = 0
    left join alert_deliveries thread on thread.id = failure.grouped_into
    left join alerts r on r.seq = ${previousAlert('o', 'closes')}
    left join alert_deliveries recovery on recovery.alert_id = r.id and recovery.channel_id = opening.channel_id
      and recovery.repetition = 0
    left join alert_deliveries recovery_group on recovery_group.id = recovery.grouped_into
    where c.id in (${sql.join(closingAlertIds)})
    order by c.seq`.execute(reader);
  return rows;
}

/** A delivery that is not sent, because another message makes it unnecessary. */
export type SkippedAlertDelivery = Pick<AlertDeliveryRow, 'id' | 'error' | 'grouped_into'>;

const ROWS_PER_STATEMENT = 1_000;

/** Records that deliveries are not sent. */
export async function skipAlertDeliveries(
  writer: DatabaseWriter,
  deliveries: readonly SkippedAlertDelivery[],
): Promise<void> {
  for (let at = 0; at < deliveries.length; at += ROWS_PER_STATEMENT) {
    const values = deliveries
      .slice(at, at + ROWS_PER_STATEMENT)
      .map(({ id, error, grouped_into }) => sql`(${id}, ${error}, ${grouped_into})`);
    await sql`with skipped(id, error, grouped_into) as (values ${sql.join(values)})
      update alert_deliveries set state = 'skipped', pending_reason = null, error = skipped.error,
        grouped_into = skipped.grouped_into
      from skipped where alert_deliveries.id = skipped.id`.execute(writer);
  }
}

/**
 * Makes recoveries pending that were skipped because of one of the given recoveries; for each of them, the newest one
 * that has the given error.
 */
export async function restoreSkippedRecoveries(
  writer: DatabaseWriter,
  abandonedIds: readonly string[],
  { error, dueAt }: { readonly error: string; readonly dueAt: number },
): Promise<void> {
  for (let at = 0; at < abandonedIds.length; at += ROWS_PER_STATEMENT)
    await sql`update alert_deliveries set state = 'pending', error = null, grouped_into = null, due_at = ${dueAt}
      where id in (
        select (select skipped.id from alerts newer
          join alert_deliveries skipped on skipped.alert_id = newer.id and skipped.channel_id = abandoned.channel_id
            and skipped.repetition = 0 and skipped.state = 'skipped' and skipped.error = ${error}
            and skipped.grouped_into = abandoned.id
          where newer.org_id = recovery.org_id and newer.subject_kind = recovery.subject_kind
            and newer.subject_id = recovery.subject_id and newer.seq > recovery.seq and newer.phase = 'closes'
          order by newer.seq desc limit 1)
        from alert_deliveries abandoned join alerts recovery on recovery.id = abandoned.alert_id
        where abandoned.id in (${sql.join(abandonedIds.slice(at, at + ROWS_PER_STATEMENT))})
          and recovery.phase = 'closes')`.execute(writer);
}

import { type Insertable, type Selectable, sql } from 'kysely';
import type { AlertsTable } from './alert-tables.ts';
import type { SqlCondition } from './exchange-filters.ts';
import { publishLiveEvent } from './live-events.ts';
import type { PageRequest, RowPage, TimeRangeRequest } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';
import { getScannedPage } from './time-scan.ts';

export type AlertRow = Selectable<AlertsTable>;
export type NewAlertRow = Insertable<AlertsTable>;

/**
 * Maximum number of rows per statement. PostgreSQL accepts 65,535 parameters in a statement, SQLite 32,766.
 */
const ROWS_PER_STATEMENT = 1_000;

/**
 * Up to this number, alerts are published individually to event streams. If there are more, only their
 * number is published.
 */
const MAX_PUBLISHED_ALERTS = 100;

/**
 * Adds alerts to the outbox, and publishes them to event streams. Ignores an alert if its organization already has
 * one with the same idempotency key.
 */
export async function insertAlerts(writer: DatabaseWriter, rows: readonly NewAlertRow[]): Promise<void> {
  const inserted = new Set<string>();
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const fresh = await writer
      .insertInto('alerts')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) => conflict.columns(['org_id', 'idempotency_key']).doNothing())
      .returning('id')
      .execute();
    for (const { id } of fresh) inserted.add(id);
  }
  const byOrg = Map.groupBy(
    rows.filter(({ id }) => inserted.has(id)),
    ({ org_id }) => org_id,
  );
  for (const [orgId, alerts] of byOrg) await publishAlerts(writer, orgId, alerts);
}

async function publishAlerts(
  writer: DatabaseWriter,
  orgId: string,
  rows: readonly NewAlertRow[],
): Promise<void> {
  const alerts = rows.slice(0, MAX_PUBLISHED_ALERTS).map(({ id, at, event, phase, ...row }) => ({
    id,
    at,
    event,
    phase,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
  }));
  const at = Math.max(...rows.map((row) => row.at));
  await publishLiveEvent(writer, { orgId, topic: 'alerts', at, data: { count: rows.length, alerts } });
}

/** Returns whether there is any alert for which Floe has not created deliveries yet. */
export async function hasUnroutedAlert(reader: DatabaseReader): Promise<boolean> {
  const found = await reader
    .selectFrom('alerts')
    .select('seq')
    .where('routed_at', 'is', null)
    .limit(1)
    .execute();
  return found.length > 0;
}

/** Maximum number of alerts of one organization in a result, so that the backlog of one is not read. */
const UNROUTED_ALERTS_PER_ORG = 50;

/**
 * Returns alerts that have no deliveries yet. Alternates between organizations: first the oldest alert of
 * each organization, then the second one of each, and so on. Begins with the organization after `afterOrgId`.
 */
export async function listUnroutedAlerts(
  reader: DatabaseReader,
  limit: number,
  afterOrgId: string,
): Promise<AlertRow[]> {
  // Jumps from one organization to the next in the index, regardless of the number of alerts.
  const { rows } = await sql<AlertRow>`
    with recursive waiting(org_id) as (
      select min(org_id) from alerts where routed_at is null
      union all
      select (select min(a.org_id) from alerts a where a.routed_at is null and a.org_id > waiting.org_id)
      from waiting where waiting.org_id is not null
    )
    select alerts.* from waiting join alerts on alerts.seq in (
      select a.seq from alerts a where a.org_id = waiting.org_id and a.routed_at is null
      order by a.seq limit ${UNROUTED_ALERTS_PER_ORG}
    )
    where waiting.org_id is not null
    order by row_number() over (partition by alerts.org_id order by alerts.seq),
      case when alerts.org_id > ${afterOrgId} then 0 else 1 end, alerts.org_id
    limit ${limit}`.execute(reader);
  return rows;
}

/** Returns the open alerts about the given subjects that already have deliveries. */
export function listOpenAlertsOfSubjects(
  reader: DatabaseReader,
  orgId: string,
  subjectIds: readonly string[],
): Promise<Pick<AlertRow, 'seq' | 'subject_kind' | 'subject_id'>[]> {
  return reader
    .selectFrom('alerts')
    .select(['seq', 'subject_kind', 'subject_id'])
    .where('org_id', '=', orgId)
    .where('subject_id', 'in', subjectIds)
    .where('closed_at', 'is', null)
    .where('routed_at', 'is not', null)
    .execute();
}

/** Marks alerts as closed. */
export async function closeAlerts(
  writer: DatabaseWriter,
  seqs: readonly number[],
  atMs: number,
): Promise<void> {
  if (seqs.length === 0) return;
  await writer
    .updateTable('alerts')
    .set({ closed_at: atMs })
    .where('seq', 'in', seqs)
    .where('closed_at', 'is', null)
    .execute();
}

/** Records that the deliveries for these alerts have been created. */
export async function markAlertsRouted(
  writer: DatabaseWriter,
  seqs: readonly number[],
  nowMs: number,
): Promise<void> {
  await writer.updateTable('alerts').set({ routed_at: nowMs }).where('seq', 'in', seqs).execute();
}

/** Conditions on alerts. A condition that is undefined matches every alert. */
export interface AlertFilters {
  readonly event?: string | undefined;
  /** Id of the subject. */
  readonly subject?: string | undefined;
  /** Name of a channel to which the alert has a delivery. */
  readonly channel?: string | undefined;
  /** State of one of its deliveries. */
  readonly state?: string | undefined;
}

/**
 * Returns a page of an organization's alerts that match all filters, newest first. The filter for the subject
 * uses an index. Each page checks the other filters on a limited number of alerts. A page can therefore
 * contain fewer alerts than requested, or none, although it has a cursor.
 */
export function getAlertPage(
  reader: DatabaseReader,
  request: PageRequest & TimeRangeRequest & AlertFilters,
  maxScannedRows?: number,
): Promise<RowPage<AlertRow>> {
  const { event, subject, channel, state } = request;
  const residualConditions: SqlCondition[] = [];
  if (event !== undefined) residualConditions.push(sql`event = ${event}`);
  if (channel !== undefined || state !== undefined) {
    const ofChannel = channel === undefined ? sql`` : sql`and d.channel_name = ${channel}`;
    const inState = state === undefined ? sql`` : sql`and d.state = ${state}`;
    residualConditions.push(
      sql`exists (select 1 from alert_deliveries as d where d.alert_id = alerts.id ${ofChannel} ${inState})`,
    );
  }
  return getScannedPage<AlertRow>(reader, {
    ...request,
    table: { name: 'alerts', at: 'at' },
    indexScans: [subject === undefined ? sql`true` : sql`subject_id = ${subject}`],
    residualConditions,
    maxScannedRows,
  });
}

/**
 * Deletes up to 2,000 of an organization's closed alerts from before `beforeMs`, with their deliveries.
 * Returns the number of deleted alerts.
 */
export async function expireAlerts(writer: DatabaseWriter, orgId: string, beforeMs: number): Promise<number> {
  const old = await writer
    .selectFrom('alerts')
    .select(['seq', 'id'])
    .where('org_id', '=', orgId)
    .where('at', '<', beforeMs)
    .where('closed_at', 'is not', null)
    .limit(2_000)
    .execute();
  if (old.length === 0) return 0;
  await deleteAlerts(
    writer,
    old.map(({ id }) => id),
  );
  return old.length;
}

/** Deletes alerts with their deliveries. */
export async function deleteAlerts(writer: DatabaseWriter, ids: readonly string[]): Promise<void> {
  await writer.deleteFrom('alert_deliveries').where('alert_id', 'in', ids).execute();
  await writer.deleteFrom('alerts').where('id', 'in', ids).execute();
}

/** Returns an organization's open alerts about one kind of subject, oldest first. */
export function listOpenAlerts(
  reader: DatabaseReader,
  orgId: string,
  kind: string,
  limit: number,
): Promise<AlertRow[]> {
  return reader
    .selectFrom('alerts')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('subject_kind', '=', kind)
    .where('closed_at', 'is', null)
    .where('phase', '=', 'opens')
    .orderBy('seq')
    .limit(limit)
    .execute();
}

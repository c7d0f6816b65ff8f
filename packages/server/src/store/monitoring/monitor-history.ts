import { type RawBuilder, sql } from 'kysely';
import { ROWS_PER_DELETION_BATCH, runDeletionBatches } from '../deletion-batches.ts';
import { getTimeRangePage, type RowPage, type TimeRangeRequest } from '../pagination.ts';
import type { Database, DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { insertMonitorPeriods } from './monitor-states.ts';
import type { MonitorCheckRow, MonitorPeriodRow } from './monitoring-rows.ts';

/** Selects the checks of one monitor in a time range. */
export interface MonitorCheckQuery extends TimeRangeRequest {
  readonly uid: string;
  /** The status of the checks. If it is absent, checks of every status are returned. */
  readonly status?: string | undefined;
}

/**
 * Returns a page of a monitor's checks, newest first.
 * @throws Fault `invalid_request` for a cursor of another list
 */
export function getMonitorCheckPage(
  reader: DatabaseReader,
  { uid, status, ...time }: MonitorCheckQuery,
): Promise<RowPage<MonitorCheckRow>> {
  const rows = reader.selectFrom('checks').selectAll().where('uid', '=', uid);
  return getTimeRangePage(status === undefined ? rows : rows.where('status', '=', status), 'at', time);
}

/** Selects the last periods of one monitor in a time range. Times are in Unix milliseconds. */
export interface MonitorPeriodQuery {
  readonly uid: string;
  readonly fromMs: number;
  /** The periods start before this time. */
  readonly beforeMs: number;
  /** Maximum number of periods. */
  readonly limit: number;
}

/** The last periods of a monitor in a time range. */
export interface LastMonitorPeriods {
  /** Oldest first. The first one may have started before the range. */
  readonly periods: readonly MonitorPeriodRow[];
  /** Whether the range has earlier periods. */
  readonly isTruncated: boolean;
}

/**
 * Returns the last periods of a monitor that overlap a range, and the period after them, at which the last one
 * ends. `following` is undefined if the last one is the current period.
 */
export async function getMonitorPeriodsBefore(
  reader: DatabaseReader,
  { uid, fromMs, beforeMs, limit }: MonitorPeriodQuery,
): Promise<LastMonitorPeriods & { readonly following: MonitorPeriodRow | undefined }> {
  const ofMonitor = reader.selectFrom('monitor_periods').selectAll().where('uid', '=', uid);
  const [following, newestFirst] = await Promise.all([
    ofMonitor.where('started_at', '>=', beforeMs).orderBy('started_at').limit(1).executeTakeFirst(),
    ofMonitor
      .where('started_at', '<', beforeMs)
      .where(
        'started_at',
        '>=',
        sql<number>`coalesce((select max(started_at) from monitor_periods where uid = ${uid} and started_at <= ${fromMs}), ${fromMs})`,
      )
      .orderBy('started_at', 'desc')
      .limit(limit + 1)
      .execute(),
  ]);
  const periods = newestFirst.slice(0, limit).reverse();
  return { periods, isTruncated: newestFirst.length > limit, following };
}

/**
 * Returns the periods of several monitors that overlap the time since `fromMs`, by monitor, oldest
 * first.
 */
export async function getMonitorPeriodsByUidSince(
  reader: DatabaseReader,
  uids: readonly string[],
  fromMs: number,
): Promise<Map<string, MonitorPeriodRow[]>> {
  const found = new Map<string, MonitorPeriodRow[]>(uids.map((uid) => [uid, []]));
  if (uids.length === 0) return found;
  const columns = ['p.uid', 'p.started_at', 'p.status', 'p.reason'] as const;
  const [underWay, later] = await Promise.all([
    reader
      .selectFrom('monitor_periods as p')
      .innerJoin(
        (query) =>
          query
            .selectFrom('monitor_periods')
            .select(['uid', ({ fn }) => fn.max('started_at').as('last')])
            .where('uid', 'in', [...uids])
            .where('started_at', '<=', fromMs)
            .groupBy('uid')
            .as('before'),
        (join) => join.onRef('before.uid', '=', 'p.uid').onRef('before.last', '=', 'p.started_at'),
      )
      .select(columns)
      .execute(),
    reader
      .selectFrom('monitor_periods as p')
      .select(columns)
      .where('p.uid', 'in', [...uids])
      .where('p.started_at', '>', fromMs)
      .orderBy('p.uid')
      .orderBy('p.started_at')
      .execute(),
  ]);
  for (const row of [...underWay, ...later]) found.get(row.uid)?.push(row);
  return found;
}

/**
 * Moves periods that begin in the future to an earlier time, because the clock was set back. Subtracts
 * `aheadMs` from the start of each period after `nowMs`. Keeps the order of all periods. Returns the new start
 * of the last period.
 */
export async function shiftFutureMonitorPeriods(
  writer: DatabaseWriter,
  uid: string,
  nowMs: number,
  aheadMs: number,
): Promise<number> {
  const periods = await getMonitorPeriodsByUidSince(writer, [uid], nowMs);
  const rows = periods.get(uid) ?? [];
  const ahead = rows.filter((row) => row.started_at > nowMs);
  let at = rows.findLast((row) => row.started_at <= nowMs)?.started_at ?? 0;
  const moved = ahead.map((row) => {
    at = Math.max(at + 1, Math.min(nowMs, row.started_at - aheadMs));
    return { ...row, started_at: at };
  });
  await writer.deleteFrom('monitor_periods').where('uid', '=', uid).where('started_at', '>', nowMs).execute();
  await insertMonitorPeriods(writer, moved);
  return at;
}

/**
 * Deletes a batch of the idempotency keys of beats that were received before `beforeMs`. Returns whether there may be
 * more.
 */
export async function expireBeatIdempotencyKeys(
  database: Pick<Database, 'rowTransaction'>,
  beforeMs: number,
): Promise<boolean> {
  return database.rowTransaction(async (writer) => {
    const removed = await countDeletedRows(
      writer,
      sql`delete from beat_keys where (uid, key) in (
        select uid, key from beat_keys where received_at < ${beforeMs} limit ${ROWS_PER_DELETION_BATCH})`,
    );
    return removed === ROWS_PER_DELETION_BATCH;
  });
}

/**
 * Deletes checks and ended periods from before `beforeMs` in batches. Also deletes monitors that
 * were removed before then, with all their remaining history. Returns the number of deleted checks.
 */
export async function expireMonitorHistory(
  database: Pick<Database, 'read' | 'rowTransaction'>,
  beforeMs: number,
): Promise<number> {
  await database.rowTransaction((writer) =>
    writer.deleteFrom('monitors').where('disabled_at', '<', beforeMs).execute(),
  );
  let removed = 0;
  let after = '';
  for (;;) {
    const next = await findNextMonitorWithChecks(database.read, after);
    if (next === undefined) break;
    after = next.uid;
    const untilMs = next.exists ? beforeMs : Number.MAX_SAFE_INTEGER;
    removed += await deleteInBatches(database, (writer) => deleteChecks(writer, after, untilMs));
    await deleteInBatches(database, (writer) => deletePeriods(writer, after, untilMs));
  }
  await deleteInBatches(database, deletePeriodsOfRemovedMonitors);
  return removed;
}

/** Deletes in batches, so that other changes and beats can run in between. Returns the number of deleted rows. */
function deleteInBatches(
  database: Pick<Database, 'rowTransaction'>,
  deleteBatch: (writer: DatabaseWriter) => Promise<number>,
): Promise<number> {
  return runDeletionBatches(() => database.rowTransaction(deleteBatch));
}

async function countDeletedRows(writer: DatabaseWriter, statement: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows = 0n } = await statement.execute(writer);
  return Number(numAffectedRows);
}

/** Returns the next monitor that has checks, and whether it still exists. */
async function findNextMonitorWithChecks(
  reader: DatabaseReader,
  afterUid: string,
): Promise<{ readonly uid: string; readonly exists: boolean } | undefined> {
  const row = await reader
    .selectFrom('checks')
    .select('uid')
    .where('uid', '>', afterUid)
    .orderBy('uid')
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const monitor = await reader
    .selectFrom('monitors')
    .select('uid')
    .where('uid', '=', row.uid)
    .executeTakeFirst();
  return { uid: row.uid, exists: monitor !== undefined };
}

function deleteChecks(writer: DatabaseWriter, uid: string, beforeMs: number): Promise<number> {
  return countDeletedRows(
    writer,
    sql`delete from checks where (uid, at, id) in (
      select uid, at, id from checks where uid = ${uid} and at < ${beforeMs} limit ${ROWS_PER_DELETION_BATCH})`,
  );
}

/** Deletes the periods that ended before `beforeMs`. A period that began earlier and ended later is kept. */
function deletePeriods(writer: DatabaseWriter, uid: string, beforeMs: number): Promise<number> {
  return countDeletedRows(
    writer,
    sql`delete from monitor_periods where (uid, started_at) in (
      select uid, started_at from monitor_periods where uid = ${uid} and started_at < (
        select max(started_at) from monitor_periods where uid = ${uid} and started_at <= ${beforeMs})
      limit ${ROWS_PER_DELETION_BATCH})`,
  );
}

function deletePeriodsOfRemovedMonitors(writer: DatabaseWriter): Promise<number> {
  return countDeletedRows(
    writer,
    sql`delete from monitor_periods where (uid, started_at) in (
      select uid, started_at from monitor_periods where uid not in (select uid from monitors)
      limit ${ROWS_PER_DELETION_BATCH})`,
  );
}

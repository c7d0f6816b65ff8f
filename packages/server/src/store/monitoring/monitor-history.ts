import { sql } from 'kysely';
import { getTimeRangePage, type RowPage, type TimeRangeRequest } from '../pagination.ts';
import type { Database, DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { insertMonitorPeriods } from './monitor-states.ts';
import type { MonitorCheckRow, MonitorPeriodRow } from './monitoring-rows.ts';

const ROWS_PER_BATCH = 2_000;

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

/**
 * Returns the periods that overlap a range, oldest first, each with its end. The end of the current
 * period is null.
 */
export async function listMonitorPeriodsInRange(
  reader: DatabaseReader,
  uid: string,
  fromMs: number,
  toMs: number,
): Promise<readonly (MonitorPeriodRow & { readonly ended_at: number | null })[]> {
  const earlier = await reader
    .selectFrom('monitor_periods')
    .select('started_at')
    .where('uid', '=', uid)
    .where('started_at', '<=', fromMs)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const rows = await reader
    .selectFrom('monitor_periods')
    .selectAll()
    .where('uid', '=', uid)
    .where('started_at', '>=', earlier?.started_at ?? fromMs)
    .orderBy('started_at')
    .execute();
  return rows
    .map((row, at) => ({ ...row, ended_at: rows[at + 1]?.started_at ?? null }))
    .filter(({ started_at }) => started_at < toMs);
}

/**
 * Returns the periods of several monitors that overlap the time since `fromMs`, by monitor, oldest
 * first.
 */
export async function listMonitorPeriodsSince(
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
 * Returns the same periods as `listMonitorPeriodsSince`, but at most the last `maxPerMonitor` of each monitor,
 * because a job can change its status many times a second.
 */
export async function listLastMonitorPeriods(
  reader: DatabaseReader,
  uids: readonly string[],
  fromMs: number,
  maxPerMonitor: number,
): Promise<Map<string, MonitorPeriodRow[]>> {
  if (uids.length === 0) return new Map();
  const limits = await reader
    .selectFrom('monitors')
    .select(['monitors.uid'])
    .select(({ selectFrom }) =>
      selectFrom('monitor_periods as p')
        .select('p.started_at')
        .whereRef('p.uid', '=', 'monitors.uid')
        .orderBy('p.started_at', 'desc')
        .limit(1)
        .offset(maxPerMonitor - 1)
        .as('first_at'),
    )
    .where('monitors.uid', 'in', [...uids])
    .execute();
  const busy = new Map<string, number>();
  for (const { uid, first_at } of limits) if (first_at !== null && first_at > fromMs) busy.set(uid, first_at);
  const found = await listMonitorPeriodsSince(
    reader,
    uids.filter((uid) => !busy.has(uid)),
    fromMs,
  );
  for (const [uid, firstAt] of busy) {
    const rows = reader.selectFrom('monitor_periods').select(['uid', 'started_at', 'status', 'reason']);
    found.set(
      uid,
      await rows.where('uid', '=', uid).where('started_at', '>=', firstAt).orderBy('started_at').execute(),
    );
  }
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
  const periods = await listMonitorPeriodsSince(writer, [uid], nowMs);
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

/** Deletes the idempotency keys of beats that were received before `beforeMs`. */
export async function expireBeatIdempotencyKeys(
  database: Pick<Database, 'rowTransaction'>,
  beforeMs: number,
): Promise<void> {
  await database.rowTransaction((writer) =>
    writer.deleteFrom('beat_keys').where('received_at', '<', beforeMs).execute(),
  );
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
    for (;;) {
      const count = await database.rowTransaction((writer) => deleteChecks(writer, after, untilMs));
      removed += count;
      if (count < ROWS_PER_BATCH) break;
    }
    await database.rowTransaction((writer) => deletePeriods(writer, after, untilMs));
  }
  await database.rowTransaction((writer) =>
    sql`delete from monitor_periods where uid not in (select uid from monitors)`.execute(writer),
  );
  return removed;
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

async function deleteChecks(writer: DatabaseWriter, uid: string, beforeMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from checks where (uid, at, id) in (
    select uid, at, id from checks where uid = ${uid} and at < ${beforeMs} limit ${ROWS_PER_BATCH})`.execute(
    writer,
  );
  return Number(numAffectedRows);
}

/** Deletes the periods that ended before `beforeMs`. A period that began earlier and ended later is kept. */
async function deletePeriods(writer: DatabaseWriter, uid: string, beforeMs: number): Promise<void> {
  await sql`delete from monitor_periods where uid = ${uid} and started_at < (
    select max(started_at) from monitor_periods where uid = ${uid} and started_at <= ${beforeMs})`.execute(
    writer,
  );
}

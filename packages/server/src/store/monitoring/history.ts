import { sql } from 'kysely';
import { decodeCursor, type Page, toPage } from '../pages.ts';
import type { Database, Reader, Writer } from '../ports.ts';
import type { CheckRow, PeriodRow } from './clocks.ts';

const ROWS_PER_BATCH = 2_000;

export interface CheckQuery {
  readonly uid: string;
  /** Only these; without it everything but `started` and `logged`. */
  readonly statuses?: readonly string[];
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const CHECK_STATUSES = ['ok', 'missed', 'failed', 'unknown'];

/** Checks of a monitor, newest first. @throws Fault `invalid_request` for a cursor of another list. */
export async function checkPage(reader: Reader, query: CheckQuery): Promise<Page<CheckRow>> {
  const { uid, statuses = CHECK_STATUSES, fromMs, toMs, limit, cursor } = query;
  let rows = reader
    .selectFrom('checks')
    .selectAll()
    .where('uid', '=', uid)
    .where('status', 'in', [...statuses]);
  if (fromMs !== undefined) rows = rows.where('at', '>=', fromMs);
  if (toMs !== undefined) rows = rows.where('at', '<', toMs);
  if (cursor !== undefined) {
    const { at, id } = decodeCursor(cursor);
    rows = rows.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(at, id)));
  }
  const found = await rows
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(found, limit, (row) => ({ at: row.at, id: row.id }));
}

/** Periods that touch a range, oldest first, each with its end; null for the open one. */
export async function periodsIn(
  reader: Reader,
  uid: string,
  fromMs: number,
  toMs: number,
): Promise<readonly (PeriodRow & { readonly ended_at: number | null })[]> {
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

/** Forgets idempotency keys of beats received before `beforeMs`. */
export async function expireBeatKeys(
  database: Pick<Database, 'rowTransaction'>,
  beforeMs: number,
): Promise<void> {
  await database.rowTransaction((writer) =>
    writer.deleteFrom('beat_keys').where('received_at', '<', beforeMs).execute(),
  );
}

/** Removes checks, and periods that are over, from before `beforeMs`, batch by batch; returns how many checks. */
export async function expireChecks(
  database: Pick<Database, 'read' | 'rowTransaction'>,
  beforeMs: number,
): Promise<number> {
  let removed = 0;
  let after = '';
  for (;;) {
    const row = await nextWithChecks(database.read, after);
    if (row === undefined) break;
    after = row;
    for (;;) {
      const count = await database.rowTransaction((writer) => removeChecks(writer, after, beforeMs));
      removed += count;
      if (count < ROWS_PER_BATCH) break;
    }
    await database.rowTransaction((writer) => removePeriods(writer, after, beforeMs));
  }
  return removed;
}

/** Monitors one by one, those that were removed and left their history included. */
async function nextWithChecks(reader: Reader, afterUid: string): Promise<string | undefined> {
  const row = await reader
    .selectFrom('checks')
    .select('uid')
    .where('uid', '>', afterUid)
    .orderBy('uid')
    .limit(1)
    .executeTakeFirst();
  return row?.uid;
}

async function removeChecks(writer: Writer, uid: string, beforeMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from checks where (uid, at, id) in (
    select uid, at, id from checks where uid = ${uid} and at < ${beforeMs} limit ${ROWS_PER_BATCH})`.execute(
    writer,
  );
  return Number(numAffectedRows);
}

/** A period that began before and goes on stays: what came after it says when it ended. */
async function removePeriods(writer: Writer, uid: string, beforeMs: number): Promise<void> {
  await sql`delete from monitor_periods where uid = ${uid} and started_at < (
    select max(started_at) from monitor_periods where uid = ${uid} and started_at <= ${beforeMs})`.execute(
    writer,
  );
}

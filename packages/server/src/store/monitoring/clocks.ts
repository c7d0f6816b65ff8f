import { type RawBuilder, sql } from 'kysely';
import type { Engine, Reader, Writer } from '../ports.ts';
import { list, recordset } from './records.ts';
import type {
  BeatKeysTable,
  ChecksTable,
  MonitorClocksTable,
  MonitorPeriodsTable,
  MonitorsTable,
} from './tables.ts';

export type ClockRow = MonitorClocksTable;
export type CheckRow = ChecksTable;
export type PeriodRow = MonitorPeriodsTable;
export type BeatKeyRow = BeatKeysTable;

/** `wake_at` of a clock that nothing wakes. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** How a beat names its monitor. */
export type MonitorAddress = { readonly orgId: string; readonly id: string } | { readonly tokenHash: string };

/** Columns that events change; the others change with the definition. */
const MOVING = [
  'status',
  'last_beat_at',
  'anchor_at',
  'expected_at',
  'due_at',
  'failing_since',
  'misses',
  'alerted_since',
  'granted',
  'paused_until',
  'period_at',
  'settled_at',
  'run_at',
  'run_id',
  'wake_at',
] as const satisfies readonly (keyof ClockRow)[];

const CHECK_COLUMNS = [
  'uid',
  'at',
  'id',
  'status',
  'error',
  'expected_at',
  'detected_at',
  'received_at',
  'duration_ms',
  'metadata_json',
  'stands_for',
] as const satisfies readonly (keyof CheckRow)[];

const PERIOD_COLUMNS = ['uid', 'started_at', 'status', 'reason'] as const;
const KEY_COLUMNS = ['uid', 'key', 'beat_id', 'received_at'] as const;

/** The clocks that beats are for, locked until the transaction ends, in one order for everybody. */
export async function lockAddressed(
  writer: Writer,
  engine: Engine,
  addresses: readonly MonitorAddress[],
): Promise<ClockRow[]> {
  const byId = addresses.flatMap((one) => ('id' in one ? [{ org_id: one.orgId, id: one.id }] : []));
  const byToken = addresses.flatMap((one) => ('id' in one ? [] : [{ token_hash: one.tokenHash }]));
  const named = recordset(engine, 'monitor_clocks', ['org_id', 'id'], byId);
  const hashed = recordset(engine, 'monitor_clocks', ['token_hash'], byToken);
  const { rows } = await sql<ClockRow>`select * from monitor_clocks where uid in (
      select c.uid from ${named} a join monitor_clocks c on c.org_id = a.org_id and c.id = a.id
      union select c.uid from ${hashed} a join monitor_clocks c on c.token_hash = a.token_hash)
    order by uid ${lock(engine)}`.execute(writer);
  return rows;
}

/** Clocks that may have something to judge before `beforeMs`, oldest first; those somebody holds are passed over. */
export async function lockDue(
  writer: Writer,
  engine: Engine,
  beforeMs: number,
  limit: number,
): Promise<ClockRow[]> {
  const skip = engine === 'postgres' ? sql`for update skip locked` : sql``;
  const { rows } = await sql<ClockRow>`select * from monitor_clocks where wake_at < ${beforeMs}
    order by wake_at, uid limit ${limit} ${skip}`.execute(writer);
  return rows;
}

/** One clock, locked; undefined when there is none. */
export async function lockClock(writer: Writer, engine: Engine, uid: string): Promise<ClockRow | undefined> {
  const { rows } =
    await sql<ClockRow>`select * from monitor_clocks where uid = ${uid} ${lock(engine)}`.execute(writer);
  return rows[0];
}

function lock(engine: Engine): RawBuilder<unknown> {
  return engine === 'postgres' ? sql`for update` : sql``;
}

export async function insertClock(writer: Writer, row: ClockRow): Promise<void> {
  await writer.insertInto('monitor_clocks').values(row).execute();
}

/** Takes a clock away: its monitor takes no beats and judges nothing any more. */
export async function removeClock(writer: Writer, uid: string): Promise<void> {
  await writer.deleteFrom('monitor_clocks').where('uid', '=', uid).execute();
}

/** Changes what a definition says about its clock, and where the clock then stands. */
export async function replaceClock(writer: Writer, row: ClockRow): Promise<void> {
  await writer.updateTable('monitor_clocks').set(row).where('uid', '=', row.uid).execute();
}

/** Writes clocks that the transaction has locked. */
export async function moveClocks(writer: Writer, engine: Engine, rows: readonly ClockRow[]): Promise<void> {
  if (rows.length === 0) return;
  const moved = recordset(engine, 'monitor_clocks', ['uid', ...MOVING], rows);
  const set = MOVING.map((column) => sql`${sql.ref(column)} = moved.${sql.ref(column)}`);
  await sql`update monitor_clocks set ${sql.join(set)} from ${moved} as moved
    where monitor_clocks.uid = moved.uid`.execute(writer);
}

/** Adds checks; one that is there already stays as it is. */
export async function insertChecks(writer: Writer, engine: Engine, rows: readonly CheckRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into checks (${list(CHECK_COLUMNS)})
    select * from ${recordset(engine, 'checks', CHECK_COLUMNS, rows)} as added where true
    on conflict do nothing`.execute(writer);
}

/** Begins periods, in order; of two of a monitor that begin in one instant, the later one stands. */
export async function insertPeriods(
  writer: Writer,
  engine: Engine,
  rows: readonly PeriodRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const last = [...new Map(rows.map((row) => [`${row.uid}\n${row.started_at}`, row])).values()];
  await sql`insert into monitor_periods (${list(PERIOD_COLUMNS)})
    select * from ${recordset(engine, 'monitor_periods', PERIOD_COLUMNS, last)} as added where true
    on conflict (uid, started_at) do update set status = excluded.status, reason = excluded.reason`.execute(
    writer,
  );
}

/** Beats that came before under the same idempotency keys. Their clocks are locked, so nobody adds one now. */
export async function knownBeats(
  writer: Writer,
  engine: Engine,
  keys: readonly { readonly uid: string; readonly key: string }[],
): Promise<BeatKeyRow[]> {
  if (keys.length === 0) return [];
  const asked = recordset(engine, 'beat_keys', ['uid', 'key'], keys);
  const { rows } = await sql<BeatKeyRow>`select k.* from ${asked} a
    join beat_keys k on k.uid = a.uid and k.key = a.key`.execute(writer);
  return rows;
}

export async function insertBeatKeys(
  writer: Writer,
  engine: Engine,
  rows: readonly BeatKeyRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into beat_keys (${list(KEY_COLUMNS)})
    select * from ${recordset(engine, 'beat_keys', KEY_COLUMNS, rows)} as added where true
    on conflict do nothing`.execute(writer);
}

/** Definitions by uid, for messages about them. */
export async function definitionsOf(reader: Reader, uids: readonly string[]): Promise<MonitorsTable[]> {
  const found: MonitorsTable[] = [];
  for (let at = 0; at < uids.length; at += 1_000)
    found.push(
      ...(await reader
        .selectFrom('monitors')
        .selectAll()
        .where('uid', 'in', uids.slice(at, at + 1_000))
        .execute()),
    );
  return found;
}

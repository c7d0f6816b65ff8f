import type { Engine } from '../engine.ts';
import type { Reader, Writer } from '../ports.ts';
import { CHECK_COLUMNS, GIVEN, KEY_COLUMNS, MOVING } from './clock-columns.ts';
import type { BeatKeyRow, CheckRow, ClockRow, PeriodRow } from './clock-row.ts';
import { parameter, put, putting, run, statement } from './records.ts';
import type { MonitorsTable } from './tables.ts';

/** `wake_at` of a clock that nothing wakes. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** How a beat names its monitor. */
export type MonitorAddress = { readonly orgId: string; readonly id: string } | { readonly tokenHash: string };

const PERIOD_COLUMNS = ['uid', 'started_at', 'status', 'reason'] as const;

const locked = (engine: Engine, how = 'for update') => (engine === 'postgres' ? how : '');

const LOCK_ADDRESSED = statement(
  (rows, engine) => `select * from monitor_clocks where uid in (
    select c.uid from ${rows(1, 'monitor_clocks', ['org_id', 'id'])} a
      join monitor_clocks c on c.org_id = a.org_id and c.id = a.id
    union select c.uid from ${rows(2, 'monitor_clocks', ['token_hash'])} a
      join monitor_clocks c on c.token_hash = a.token_hash)
  order by uid ${locked(engine)}`,
);

/** The clocks that beats are for, locked until the transaction ends, in one order for everybody. */
export function lockAddressed(writer: Writer, addresses: readonly MonitorAddress[]): Promise<ClockRow[]> {
  const byId = addresses.flatMap((one) => ('id' in one ? [{ org_id: one.orgId, id: one.id }] : []));
  const byToken = addresses.flatMap((one) => ('id' in one ? [] : [{ token_hash: one.tokenHash }]));
  return run<ClockRow>(writer, LOCK_ADDRESSED, [
    parameter(writer, ['org_id', 'id'], byId),
    parameter(writer, ['token_hash'], byToken),
  ]);
}

const LOCK_DUE = statement((_, engine) =>
  engine === 'sqlite'
    ? 'select * from monitor_clocks where wake_at < ?1 order by wake_at, uid limit ?2'
    : 'select * from monitor_clocks where wake_at < $1 order by wake_at, uid limit $2 for update skip locked',
);

/** Clocks that may have something to judge before `beforeMs`, oldest first; those somebody holds are passed over. */
export function lockDue(writer: Writer, beforeMs: number, limit: number): Promise<ClockRow[]> {
  return run<ClockRow>(writer, LOCK_DUE, [beforeMs, limit]);
}

/** Whether any clock may have something to judge before `beforeMs`. */
export async function isAnyDue(reader: Reader, beforeMs: number): Promise<boolean> {
  const row = await reader
    .selectFrom('monitor_clocks')
    .select('uid')
    .where('wake_at', '<', beforeMs)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const LOCK_AHEAD = statement(
  (_, engine) =>
    `select * from monitor_clocks where settled_at > ${engine === 'sqlite' ? '?1' : '$1'} order by uid ${locked(engine)}`,
);

/** Clocks that are accounted for beyond `nowMs`, locked: the clock was set back since. */
export function lockClocksAhead(writer: Writer, nowMs: number): Promise<ClockRow[]> {
  return run<ClockRow>(writer, LOCK_AHEAD, [nowMs]);
}

const LOCK_THESE = statement(
  (rows, engine) => `select * from monitor_clocks where uid in (
    select uid from ${rows(1, 'monitor_clocks', ['uid'])} as these) order by uid ${locked(engine)}`,
);

/** Clocks by uid, locked; those that there are. */
export async function lockClocks(writer: Writer, uids: readonly string[]): Promise<ClockRow[]> {
  if (uids.length === 0) return [];
  const these = parameter(
    writer,
    ['uid'],
    uids.map((uid) => ({ uid })),
  );
  return run<ClockRow>(writer, LOCK_THESE, [these]);
}

const REMOVE_THESE = statement(
  (rows) =>
    `delete from monitor_clocks where uid in (select uid from ${rows(1, 'monitor_clocks', ['uid'])} as these)`,
);

/** Takes clocks away: their monitors take no beats and judge nothing any more. */
export async function removeClocks(writer: Writer, uids: readonly string[]): Promise<void> {
  if (uids.length === 0) return;
  const these = parameter(
    writer,
    ['uid'],
    uids.map((uid) => ({ uid })),
  );
  await run(writer, REMOVE_THESE, [these]);
}

const CLOCK_COLUMNS = ['uid', 'org_id', 'id', ...GIVEN, ...MOVING] as const;
const PUT_CLOCKS = putting('monitor_clocks', CLOCK_COLUMNS);

/** Adds clocks, or replaces those that the transaction has locked. */
export function putClocks(writer: Writer, rows: readonly ClockRow[]): Promise<void> {
  return put(writer, PUT_CLOCKS, CLOCK_COLUMNS, rows);
}

const MOVED = ['uid', ...MOVING];
const MOVE = statement(
  (rows) => `update monitor_clocks set ${MOVING.map((column) => `${column} = moved.${column}`).join(', ')}
    from ${rows(1, 'monitor_clocks', MOVED)} as moved where monitor_clocks.uid = moved.uid`,
);

/** Writes clocks that the transaction has locked. */
export async function moveClocks(writer: Writer, rows: readonly ClockRow[]): Promise<void> {
  if (rows.length > 0) await run(writer, MOVE, [parameter(writer, MOVED, rows.map(plain))]);
}

function adding(table: string, columns: readonly string[], conflict: string) {
  return statement(
    (rows) => `insert into ${table} (${columns.join(', ')})
      select * from ${rows(1, table, columns)} as added where true on conflict ${conflict}`,
  );
}

const ADD_CHECKS = adding('checks', CHECK_COLUMNS, 'do nothing');
const ADD_PERIODS = adding(
  'monitor_periods',
  PERIOD_COLUMNS,
  '(uid, started_at) do update set status = excluded.status, reason = excluded.reason',
);
const ADD_KEYS = adding('beat_keys', KEY_COLUMNS, 'do nothing');

/** Adds checks; one that is there already stays as it is. */
export async function insertChecks(writer: Writer, rows: readonly CheckRow[]): Promise<void> {
  if (rows.length > 0) await run(writer, ADD_CHECKS, [parameter(writer, CHECK_COLUMNS, rows.map(plain))]);
}

/** Begins periods, in order; of two of a monitor that begin in one instant, the later one stands. */
export async function insertPeriods(writer: Writer, rows: readonly PeriodRow[]): Promise<void> {
  if (rows.length === 0) return;
  const last = [...new Map(rows.map((row) => [`${row.uid}\n${row.started_at}`, row])).values()];
  await run(writer, ADD_PERIODS, [parameter(writer, PERIOD_COLUMNS, last.map(plain))]);
}

const KNOWN_KEYS = statement(
  (rows) => `select k.* from ${rows(1, 'beat_keys', ['uid', 'key'])} a
    join beat_keys k on k.uid = a.uid and k.key = a.key`,
);

/** Beats that came before under the same idempotency keys. Their clocks are locked, so nobody adds one now. */
export async function knownBeats(
  writer: Writer,
  keys: readonly { readonly uid: string; readonly key: string }[],
): Promise<BeatKeyRow[]> {
  if (keys.length === 0) return [];
  return run<BeatKeyRow>(writer, KNOWN_KEYS, [parameter(writer, ['uid', 'key'], keys)]);
}

export async function insertBeatKeys(writer: Writer, rows: readonly BeatKeyRow[]): Promise<void> {
  if (rows.length > 0) await run(writer, ADD_KEYS, [parameter(writer, KEY_COLUMNS, rows.map(plain))]);
}

/** A row with an index signature, which interfaces lack. */
function plain<Row extends object>(row: Row): { [Column in keyof Row]: Row[Column] } {
  return row;
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

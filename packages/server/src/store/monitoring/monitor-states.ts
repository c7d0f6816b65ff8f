import type { DatabaseEngine } from '../database-engine.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import {
  buildUpsertStatement,
  defineBatchStatement,
  encodeRowsAsJson,
  runBatchStatement,
  upsertRows,
} from './batch-statements.ts';
import {
  BEAT_IDEMPOTENCY_KEY_COLUMNS,
  MONITOR_CHECK_COLUMNS,
  MONITOR_STATE_DEFINITION_COLUMNS,
  MONITOR_STATE_EVALUATION_COLUMNS,
} from './monitoring-columns.ts';
import type {
  BeatIdempotencyKeyRow,
  MonitorCheckRow,
  MonitorPeriodRow,
  MonitorStateRow,
} from './monitoring-rows.ts';
import type { MonitorsTable } from './monitoring-tables.ts';

/** The value of `wake_at` for a monitor that never becomes due, so that the sweep does not evaluate it. */
export const NEVER_DUE_AT = Number.MAX_SAFE_INTEGER;

/** How a beat identifies its monitor. */
export type MonitorReference =
  | { readonly orgId: string; readonly id: string }
  | { readonly tokenHash: string };

const PERIOD_COLUMNS = ['uid', 'started_at', 'status', 'reason'] as const;

const lockClause = (engine: DatabaseEngine, how = 'for update') => (engine === 'postgres' ? how : '');

const LOCK_REFERENCED = defineBatchStatement(
  (rows, engine) => `select * from monitor_clocks where uid in (
    select c.uid from ${rows(1, 'monitor_clocks', ['org_id', 'id'])} a
      join monitor_clocks c on c.org_id = a.org_id and c.id = a.id
    union select c.uid from ${rows(2, 'monitor_clocks', ['token_hash'])} a
      join monitor_clocks c on c.token_hash = a.token_hash)
  order by uid ${lockClause(engine)}`,
);

/**
 * Locks the state rows of the referenced monitors until the transaction ends, and returns them. All
 * transactions lock rows in the same order.
 */
export function lockReferencedMonitorStates(
  writer: DatabaseWriter,
  addresses: readonly MonitorReference[],
): Promise<MonitorStateRow[]> {
  const byId = addresses.flatMap((one) => ('id' in one ? [{ org_id: one.orgId, id: one.id }] : []));
  const byToken = addresses.flatMap((one) => ('id' in one ? [] : [{ token_hash: one.tokenHash }]));
  return runBatchStatement<MonitorStateRow>(writer, LOCK_REFERENCED, [
    encodeRowsAsJson(writer, ['org_id', 'id'], byId),
    encodeRowsAsJson(writer, ['token_hash'], byToken),
  ]);
}

const LOCK_DUE = defineBatchStatement((_, engine) =>
  engine === 'sqlite'
    ? 'select * from monitor_clocks where wake_at < ?1 order by wake_at, uid limit ?2'
    : 'select * from monitor_clocks where wake_at < $1 order by wake_at, uid limit $2 for update skip locked',
);

/**
 * Locks and returns the state rows of monitors that may be due before `beforeMs`, oldest first. Skips rows
 * that another transaction has locked.
 */
export function lockDueMonitorStates(
  writer: DatabaseWriter,
  beforeMs: number,
  limit: number,
): Promise<MonitorStateRow[]> {
  return runBatchStatement<MonitorStateRow>(writer, LOCK_DUE, [beforeMs, limit]);
}

/** Returns whether any monitor may be due before `beforeMs`. */
export async function hasDueMonitorState(reader: DatabaseReader, beforeMs: number): Promise<boolean> {
  const row = await reader
    .selectFrom('monitor_clocks')
    .select('uid')
    .where('wake_at', '<', beforeMs)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const LOCK_FUTURE = defineBatchStatement(
  (_, engine) =>
    `select * from monitor_clocks where settled_at > ${engine === 'sqlite' ? '?1' : '$1'} order by uid ${lockClause(engine)}`,
);

/**
 * Locks and returns the state rows of monitors that were evaluated for a time later than `nowMs`. Such rows
 * exist if the clock of the database server was set back.
 */
export function lockFutureMonitorStates(writer: DatabaseWriter, nowMs: number): Promise<MonitorStateRow[]> {
  return runBatchStatement<MonitorStateRow>(writer, LOCK_FUTURE, [nowMs]);
}

const LOCK_BY_UID = defineBatchStatement(
  (rows, engine) => `select * from monitor_clocks where uid in (
    select uid from ${rows(1, 'monitor_clocks', ['uid'])} as these) order by uid ${lockClause(engine)}`,
);

/** Locks and returns the state rows of the monitors with these uids. Monitors without a state are omitted. */
export async function lockMonitorStatesByUid(
  writer: DatabaseWriter,
  uids: readonly string[],
): Promise<MonitorStateRow[]> {
  if (uids.length === 0) return [];
  const these = encodeRowsAsJson(
    writer,
    ['uid'],
    uids.map((uid) => ({ uid })),
  );
  return runBatchStatement<MonitorStateRow>(writer, LOCK_BY_UID, [these]);
}

const DELETE_BY_UID = defineBatchStatement(
  (rows) =>
    `delete from monitor_clocks where uid in (select uid from ${rows(1, 'monitor_clocks', ['uid'])} as these)`,
);

/** Deletes the state rows of monitors. Monitors without a state accept no beats and are not evaluated. */
export async function deleteMonitorStates(writer: DatabaseWriter, uids: readonly string[]): Promise<void> {
  if (uids.length === 0) return;
  const these = encodeRowsAsJson(
    writer,
    ['uid'],
    uids.map((uid) => ({ uid })),
  );
  await runBatchStatement(writer, DELETE_BY_UID, [these]);
}

const CLOCK_COLUMNS = [
  'uid',
  'org_id',
  'id',
  ...MONITOR_STATE_DEFINITION_COLUMNS,
  ...MONITOR_STATE_EVALUATION_COLUMNS,
] as const;
const UPSERT_CLOCKS = buildUpsertStatement('monitor_clocks', CLOCK_COLUMNS);

/** Inserts the state rows of monitors, or replaces the rows that the transaction has locked. */
export function upsertMonitorStates(writer: DatabaseWriter, rows: readonly MonitorStateRow[]): Promise<void> {
  return upsertRows(writer, UPSERT_CLOCKS, CLOCK_COLUMNS, rows);
}

const STATE_UPDATE_COLUMNS = ['uid', ...MONITOR_STATE_EVALUATION_COLUMNS];
const UPDATE_STATE = defineBatchStatement(
  (
    rows,
  ) => `update monitor_clocks set ${MONITOR_STATE_EVALUATION_COLUMNS.map((column) => `${column} = moved.${column}`).join(', ')}
    from ${rows(1, 'monitor_clocks', STATE_UPDATE_COLUMNS)} as moved where monitor_clocks.uid = moved.uid`,
);

/** Updates monitor state rows that the transaction has locked. */
export async function updateMonitorStates(
  writer: DatabaseWriter,
  rows: readonly MonitorStateRow[],
): Promise<void> {
  if (rows.length > 0)
    await runBatchStatement(writer, UPDATE_STATE, [
      encodeRowsAsJson(writer, STATE_UPDATE_COLUMNS, rows.map(toPlainRow)),
    ]);
}

function insertStatement(table: string, columns: readonly string[], conflict: string) {
  return defineBatchStatement(
    (rows) => `insert into ${table} (${columns.join(', ')})
      select * from ${rows(1, table, columns)} as added where true on conflict ${conflict}`,
  );
}

const INSERT_CHECKS = insertStatement('checks', MONITOR_CHECK_COLUMNS, 'do nothing');
const INSERT_PERIODS = insertStatement(
  'monitor_periods',
  PERIOD_COLUMNS,
  '(uid, started_at) do update set status = excluded.status, reason = excluded.reason',
);
const INSERT_BEAT_KEYS = insertStatement('beat_keys', BEAT_IDEMPOTENCY_KEY_COLUMNS, 'do nothing');

/** Inserts checks. Ignores checks that already exist. */
export async function insertMonitorChecks(
  writer: DatabaseWriter,
  rows: readonly MonitorCheckRow[],
): Promise<void> {
  if (rows.length > 0)
    await runBatchStatement(writer, INSERT_CHECKS, [
      encodeRowsAsJson(writer, MONITOR_CHECK_COLUMNS, rows.map(toPlainRow)),
    ]);
}

/**
 * Inserts periods. If two periods of a monitor have the same start, inserts only the last one in `rows`.
 */
export async function insertMonitorPeriods(
  writer: DatabaseWriter,
  rows: readonly MonitorPeriodRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const last = [...new Map(rows.map((row) => [`${row.uid}\n${row.started_at}`, row])).values()];
  await runBatchStatement(writer, INSERT_PERIODS, [
    encodeRowsAsJson(writer, PERIOD_COLUMNS, last.map(toPlainRow)),
  ]);
}

const KNOWN_KEYS = defineBatchStatement(
  (rows) => `select k.* from ${rows(1, 'beat_keys', ['uid', 'key'])} a
    join beat_keys k on k.uid = a.uid and k.key = a.key`,
);

/**
 * Returns those of the given idempotency keys that earlier beats have used. The state rows of the monitors must
 * be locked, so that no other transaction can add such a beat.
 */
export async function listUsedBeatIdempotencyKeys(
  writer: DatabaseWriter,
  keys: readonly { readonly uid: string; readonly key: string }[],
): Promise<BeatIdempotencyKeyRow[]> {
  if (keys.length === 0) return [];
  return runBatchStatement<BeatIdempotencyKeyRow>(writer, KNOWN_KEYS, [
    encodeRowsAsJson(writer, ['uid', 'key'], keys),
  ]);
}

export async function insertBeatIdempotencyKeys(
  writer: DatabaseWriter,
  rows: readonly BeatIdempotencyKeyRow[],
): Promise<void> {
  if (rows.length > 0)
    await runBatchStatement(writer, INSERT_BEAT_KEYS, [
      encodeRowsAsJson(writer, BEAT_IDEMPOTENCY_KEY_COLUMNS, rows.map(toPlainRow)),
    ]);
}

/** Copies a row to a type with an index signature, which interfaces lack. */
function toPlainRow<Row extends object>(row: Row): { [Column in keyof Row]: Row[Column] } {
  return row;
}

/** Returns the definitions of the monitors with these uids. */
export async function listMonitorsByUid(
  reader: DatabaseReader,
  uids: readonly string[],
): Promise<MonitorsTable[]> {
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

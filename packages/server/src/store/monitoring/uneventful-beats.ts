import {
  BEAT_IDEMPOTENCY_KEY_COLUMNS,
  MONITOR_CHECK_COLUMNS,
  MONITOR_STATE_DEFINITION_COLUMNS,
  MONITOR_STATE_EVALUATION_COLUMNS,
} from './monitoring-columns.ts';
import type { BeatIdempotencyKeyRow, MonitorCheckRow, MonitorStateRow } from './monitoring-rows.ts';

/**
 * Beats of one monitor that update its state row and add check rows, but cause no missed check, new
 * period or alert.
 */
export interface UneventfulBeats {
  /** The monitor state with which the beats were evaluated. */
  readonly before: MonitorStateRow;
  readonly after: MonitorStateRow;
  readonly checks: readonly MonitorCheckRow[];
  readonly keys: readonly BeatIdempotencyKeyRow[];
}

const COMPARED_COLUMNS = [...MONITOR_STATE_EVALUATION_COLUMNS, ...MONITOR_STATE_DEFINITION_COLUMNS];

/** The statements that write uneventful beats in SQLite. The writer thread runs them for each monitor. */
export const SQLITE_BEAT_STATEMENTS = {
  known: 'select 1 from beat_keys where uid = ?1 and key = ?2',
  move: `update monitor_clocks set ${MONITOR_STATE_EVALUATION_COLUMNS.map((column) => `${column} = ?`).join(', ')}
    where uid = ? and ${COMPARED_COLUMNS.map((column) => `${column} is ?`).join(' and ')}
      and coalesce((select rewind_count from monitor_pulse where id = 1), 0) = ?`,
  addCheck: insertRowStatement('checks', MONITOR_CHECK_COLUMNS),
  addKey: insertRowStatement('beat_keys', BEAT_IDEMPOTENCY_KEY_COLUMNS),
} as const;

function insertRowStatement(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}

type Value = string | number | null;

/** Uneventful beats as lists of positional SQL parameters. */
export interface UneventfulBeatParameters {
  readonly move: readonly Value[];
  readonly checks: readonly (readonly Value[])[];
  /** The parameters for idempotency keys. `uid` and `key` are the first two in each list. */
  readonly keys: readonly (readonly Value[])[];
}

/** Converts beats to the parameters of the SQLite statements. */
export function toUneventfulBeatParameters(
  { before, after, checks, keys }: UneventfulBeats,
  rewindCount: number,
): UneventfulBeatParameters {
  return {
    move: [
      ...MONITOR_STATE_EVALUATION_COLUMNS.map((column) => after[column]),
      before.uid,
      ...COMPARED_COLUMNS.map((column) => before[column]),
      rewindCount,
    ],
    checks: checks.map((row) => MONITOR_CHECK_COLUMNS.map((column) => row[column])),
    keys: keys.map((row) => BEAT_IDEMPOTENCY_KEY_COLUMNS.map((column) => row[column])),
  };
}

const recordset = (parameter: number, table: string) =>
  `json_populate_recordset(null::${table}, $${parameter}::json)`;

/**
 * The statement for uneventful beats in PostgreSQL. A single statement needs only one transaction and one
 * round trip. It locks rows in uid order. If another transaction changed a row in the meantime, PostgreSQL
 * compares the row again. For `current`, see `requireRewindCount`.
 */
export const POSTGRES_BEAT_STATEMENT = {
  name: 'floe_keep_beats',
  text: `with current as materialized (select rewind_count from monitor_pulse where id = 1 for key share),
    kept as materialized (
      select c.uid from ${recordset(1, 'monitor_clocks')} b join monitor_clocks c on c.uid = b.uid and c = b
      where coalesce((select rewind_count from current), 0) = $5
        and not exists (select from ${recordset(4, 'beat_keys')} g
        join beat_keys k on k.uid = g.uid and k.key = g.key where g.uid = b.uid)
      order by c.uid for update of c),
    moved as (
      update monitor_clocks set ${MONITOR_STATE_EVALUATION_COLUMNS.map((column) => `${column} = a.${column}`).join(', ')}
      from ${recordset(2, 'monitor_clocks')} a where monitor_clocks.uid = a.uid and a.uid in (select uid from kept)),
    noted as (
      insert into checks (${MONITOR_CHECK_COLUMNS.join(', ')}) select ${MONITOR_CHECK_COLUMNS.join(', ')}
      from ${recordset(3, 'checks')} n where n.uid in (select uid from kept)),
    keyed as (
      insert into beat_keys (${BEAT_IDEMPOTENCY_KEY_COLUMNS.join(', ')}) select ${BEAT_IDEMPOTENCY_KEY_COLUMNS.join(', ')}
      from ${recordset(4, 'beat_keys')} g where g.uid in (select uid from kept))
    select uid from kept`,
} as const;

/** Writes beats that only update a monitor's state row and add check rows. */
export interface BeatStore {
  /**
   * Writes the beats of monitors whose state has not changed since the evaluation, in one transaction.
   * Returns for each element whether it was written. An element is not written if the state has changed, if
   * one of its idempotency keys already exists, or if recorded times were moved back since `rewindCount` was read.
   * @throws Fault `conflict` if a key was added in the meantime. Nothing is written in this case.
   */
  applyBeatsIfUnchanged(beats: readonly UneventfulBeats[], rewindCount: number): Promise<readonly boolean[]>;
}

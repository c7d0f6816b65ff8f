import {
  BEAT_KEY_COLUMNS,
  CHECK_COLUMNS,
  CLOCK_DEFINITION_COLUMNS,
  CLOCK_STATE_COLUMNS,
} from './clock-columns.ts';
import type { BeatKeyRow, CheckRow, MonitorClockRow } from './clock-rows.ts';

/** Beats of one monitor that find out nothing: they move its clock and are rows, no miss, period or alert comes of them. */
export interface OptimisticBeats {
  /** The clock as it was when they were judged. */
  readonly before: MonitorClockRow;
  readonly after: MonitorClockRow;
  readonly checks: readonly CheckRow[];
  readonly keys: readonly BeatKeyRow[];
}

const COMPARED_COLUMNS = [...CLOCK_STATE_COLUMNS, ...CLOCK_DEFINITION_COLUMNS];

/** Statements for SQLite: one row each, run in the writer's own thread. */
export const SQLITE_BEAT_STATEMENTS = {
  known: 'select 1 from beat_keys where uid = ?1 and key = ?2',
  move: `update monitor_clocks set ${CLOCK_STATE_COLUMNS.map((column) => `${column} = ?`).join(', ')}
    where uid = ? and ${COMPARED_COLUMNS.map((column) => `${column} is ?`).join(' and ')}`,
  addCheck: insertRowStatement('checks', CHECK_COLUMNS),
  addKey: insertRowStatement('beat_keys', BEAT_KEY_COLUMNS),
} as const;

function insertRowStatement(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}

type Value = string | number | null;

/** The same as lists of parameters: names need not cross threads. */
export interface OptimisticBeatParameters {
  readonly move: readonly Value[];
  readonly checks: readonly (readonly Value[])[];
  /** `uid` and `key` first. */
  readonly keys: readonly (readonly Value[])[];
}

export function toOptimisticBeatParameters({
  before,
  after,
  checks,
  keys,
}: OptimisticBeats): OptimisticBeatParameters {
  return {
    move: [
      ...CLOCK_STATE_COLUMNS.map((column) => after[column]),
      before.uid,
      ...COMPARED_COLUMNS.map((column) => before[column]),
    ],
    checks: checks.map((row) => CHECK_COLUMNS.map((column) => row[column])),
    keys: keys.map((row) => BEAT_KEY_COLUMNS.map((column) => row[column])),
  };
}

const recordset = (parameter: number, table: string) =>
  `json_populate_recordset(null::${table}, $${parameter}::json)`;

/**
 * The same for PostgreSQL, as one statement and so one transaction and one way there and back. Rows are locked in the
 * order of their uids, as everywhere; one that another transaction moved while this one waited is compared again.
 */
export const POSTGRES_BEAT_STATEMENT = {
  name: 'floe_keep_beats',
  text: `with kept as materialized (
      select c.uid from ${recordset(1, 'monitor_clocks')} b join monitor_clocks c on c.uid = b.uid and c = b
      where not exists (select from ${recordset(4, 'beat_keys')} g
        join beat_keys k on k.uid = g.uid and k.key = g.key where g.uid = b.uid)
      order by c.uid for update of c),
    moved as (
      update monitor_clocks set ${CLOCK_STATE_COLUMNS.map((column) => `${column} = a.${column}`).join(', ')}
      from ${recordset(2, 'monitor_clocks')} a where monitor_clocks.uid = a.uid and a.uid in (select uid from kept)),
    noted as (
      insert into checks (${CHECK_COLUMNS.join(', ')}) select ${CHECK_COLUMNS.join(', ')}
      from ${recordset(3, 'checks')} n where n.uid in (select uid from kept)),
    keyed as (
      insert into beat_keys (${BEAT_KEY_COLUMNS.join(', ')}) select ${BEAT_KEY_COLUMNS.join(', ')}
      from ${recordset(4, 'beat_keys')} g where g.uid in (select uid from kept))
    select uid from kept`,
} as const;

/** How beats are written that only move a clock. */
export interface BeatStore {
  /**
   * Writes beats whose clocks still stand as they were judged, in one transaction and one message to the store; says
   * of each whether it did. It did not where somebody moved the clock, or knows the key of a beat.
   *
   * @throws Fault `conflict` when a key became known meanwhile; nothing is written then.
   */
  applyBeatsIfUnchanged(beats: readonly OptimisticBeats[]): Promise<readonly boolean[]>;
}

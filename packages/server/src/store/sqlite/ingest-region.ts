import { closeSync, openSync, readSync } from 'node:fs';
import { LIVE_EVENT_COLUMNS, LiveExchangeBatchCollector } from '../live-exchange-batches.ts';
import {
  parseDeclaredMetadataKeys,
  RollupAccumulator,
  type RollupDelta,
} from '../rollups/rollup-accumulator.ts';
import {
  buildRollupUpsertSql,
  EXCHANGE_METADATA_COLUMNS,
  getRollupColumns,
  type RollupTableName,
  toExchangeMetadataRowValues,
  toRollupRowValues,
} from '../rollups/rollup-statements.ts';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import type { ExchangeRowValues } from '../spool/exchange-row-lines.ts';
import { hasValidExchangeTime, type ParsedSpoolRows, parseSpoolRows } from '../spool/parse-spool-rows.ts';
import type { SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { isSqliteRowError } from './sqlite-errors.ts';

/**
 * Number of rows per statement. Rows share the start of the statement and the lookups in eight B-trees. More
 * rows save little (decisions/0100-compact-spool-row-format.md).
 */
const ROWS_PER_INSERT = 16;
/** Never notified, so that a wait always ends after its time limit. */
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));
/** A short wait in milliseconds. The operating system rounds it up. */
const YIELD_MS = 0.05;
const INTO = `insert into exchanges (${EXCHANGE_COLUMNS.join(', ')})`;
const INSERT = `${INTO} values ${placeholders(EXCHANGE_COLUMNS)} on conflict (id) do nothing`;
const INSERT_MANY = `${INTO} values ${Array.from({ length: ROWS_PER_INSERT }, () => placeholders(EXCHANGE_COLUMNS)).join(', ')}`;
const SELECT_DECLARED_KEYS = 'select id, metadata_keys_json from orgs where metadata_keys_json is not null';
const INSERT_METADATA = `insert into exchange_metadata (${EXCHANGE_METADATA_COLUMNS.join(', ')})
  values ${placeholders(EXCHANGE_METADATA_COLUMNS)} on conflict do nothing`;
const INSERT_LIVE_EVENT = `insert into live_events (${LIVE_EVENT_COLUMNS.join(', ')}) values ${placeholders(LIVE_EVENT_COLUMNS)}`;

function placeholders(columns: readonly string[]): string {
  return `(${columns.map(() => '?').join(', ')})`;
}

type Row = ParsedSpoolRows['rows'][number];

/**
 * Reads a spool region in the writer thread, so that rows are not passed between threads, and
 * inserts the rows in one transaction. If a table rejects a row, only this row is skipped. Any
 * other error rolls back everything.
 */
export function ingestSqliteSpoolRegion(
  connection: SqliteConnection,
  region: SpoolRegion,
): SpoolIngestResult {
  const piece = readRegion(region);
  yieldCpu();
  const { rows, rejected, torn, bytesRead } = parseSpoolRows(piece, region.last);
  const next = region.from + bytesRead;
  if (rows.length === 0) return { next, inserted: 0, known: 0, rejected, torn };
  connection.begin();
  try {
    const { inserted, refused } = insertAll(connection, rows);
    connection.commit();
    const known = rows.length - refused.length - inserted;
    return { next, inserted, known, rejected: [...rejected, ...refused], torn };
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function insertAll(
  connection: SqliteConnection,
  rows: readonly Row[],
): { inserted: number; refused: string[] } {
  const gatherer = new RollupAccumulator(readDeclaredKeys(connection));
  const live = new LiveExchangeBatchCollector();
  const refused: string[] = [];
  let inserted = 0;
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    yieldCpu();
    const some = rows.slice(at, at + ROWS_PER_INSERT);
    const taken = insertInOneStatement(connection, some) ? some : insertEach(connection, some, refused);
    inserted += taken.length;
    for (const { values } of taken) {
      gatherer.add(values);
      live.add(values);
    }
  }
  yieldCpu();
  writeRollups(connection, gatherer);
  const tell = connection.prepare(INSERT_LIVE_EVENT).statement;
  for (const event of live.toRows()) tell.run(...event);
  return { inserted, refused };
}

/**
 * Inserts rows with one statement, which works if all of them are new and valid, as usual. Returns false if
 * it changed nothing.
 */
function insertInOneStatement(connection: SqliteConnection, rows: readonly Row[]): boolean {
  if (rows.length < ROWS_PER_INSERT || !rows.every(({ values }) => hasValidExchangeTime(values)))
    return false;
  try {
    connection.prepare(INSERT_MANY).statement.run(...allValues(rows));
    return true;
  } catch (error) {
    if (isSqliteRowError(error)) return false;
    throw error;
  }
}

/** Returns the values of all rows. Does not use `flatMap`, which takes 2 µs per row. */
function allValues(rows: readonly Row[]): ExchangeRowValues[number][] {
  const all = [];
  for (const { values } of rows) for (let at = 0; at < values.length; at++) all.push(values[at] ?? null);
  return all;
}

/** Inserts the rows one by one and returns the new ones. Adds those that the table rejects to `refused`. */
function insertEach(connection: SqliteConnection, rows: readonly Row[], refused: string[]): Row[] {
  const { statement } = connection.prepare(INSERT);
  return rows.filter(({ line, values }) => {
    try {
      if (hasValidExchangeTime(values)) return Number(statement.run(...values).changes) > 0;
    } catch (error) {
      if (!isSqliteRowError(error)) throw error;
    }
    refused.push(line);
    return false;
  });
}

function readDeclaredKeys(connection: SqliteConnection) {
  const rows = connection.prepare(SELECT_DECLARED_KEYS).statement.all();
  return parseDeclaredMetadataKeys(
    rows.map(({ id, metadata_keys_json: json }) => ({
      id: String(id),
      metadata_keys_json: json === null ? null : String(json),
    })),
  );
}

function writeRollups(connection: SqliteConnection, gatherer: RollupAccumulator): void {
  const { minutes, hours, pairs, metadata } = gatherer.result();
  addDeltas(connection, 'rollup_minutes', minutes);
  addDeltas(connection, 'rollup_hours', hours);
  addDeltas(connection, 'rollup_pairs', pairs);
  const addMetadata = connection.prepare(INSERT_METADATA).statement;
  for (const entry of metadata) addMetadata.run(...toExchangeMetadataRowValues(entry));
}

function addDeltas(
  connection: SqliteConnection,
  table: RollupTableName,
  deltas: readonly RollupDelta[],
): void {
  const { statement } = connection.prepare(
    buildRollupUpsertSql(table, `values ${placeholders(getRollupColumns(table))}`),
  );
  for (const [at, delta] of deltas.entries()) {
    if (at % ROWS_PER_INSERT === 0) yieldCpu();
    statement.run(...toRollupRowValues(table, delta));
  }
}

function readRegion({ path, from, to }: SpoolRegion): Buffer {
  const piece = Buffer.allocUnsafe(to - from);
  const file = openSync(path, 'r');
  try {
    let filled = 0;
    while (filled < piece.length) {
      const count = readSync(file, piece, filled, piece.length - filled, from + filled);
      if (count === 0) break;
      filled += count;
    }
    return piece.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/**
 * Lets the main thread run if both threads share one core. Without yielding, a Linux kernel with 250 ticks per second
 * lets this thread run for up to 4 ms while a request waits. With yielding, the 99th percentile of the latency with one
 * connection on one core is 1.9 to 2.6 ms instead of 4.0 ms (bench/results/tail-latency.md). A yield takes about 0.1 ms.
 */
function yieldCpu(): void {
  Atomics.wait(NEVER_NOTIFIED, 0, 0, YIELD_MS);
}

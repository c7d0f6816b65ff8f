import { closeSync, openSync, readSync } from 'node:fs';
import { LIVE_COLUMNS, LiveBatches } from '../live-batches.ts';
import type { Ingested, SpoolRegion } from '../ports.ts';
import { declaredKeys, Gatherer, type RollupDelta } from '../rollups/gather.ts';
import {
  addToRollup,
  METADATA_COLUMNS,
  metadataValues,
  type RollupName,
  rollupColumns,
  rollupValues,
} from '../rollups/statements.ts';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import { hasTime, type RowsRead, readRows } from '../spool/read-rows.ts';
import type { RowValues } from '../spool/row-lines.ts';
import type { Connection } from './connection.ts';
import { isRowsFault } from './errors.ts';

/** Opening eight B-trees and starting the statement cost less shared; more save little (decisions/0100-lines-of-the-spool.md). */
const TOGETHER = 16;
const INTO = `insert into exchanges (${EXCHANGE_COLUMNS.join(', ')})`;
const INSERT = `${INTO} values ${placeholders(EXCHANGE_COLUMNS)} on conflict (id) do nothing`;
const INSERT_TOGETHER = `${INTO} values ${Array.from({ length: TOGETHER }, () => placeholders(EXCHANGE_COLUMNS)).join(', ')}`;
const DECLARED = 'select id, metadata_keys_json from orgs where metadata_keys_json is not null';
const ADD_METADATA = `insert into exchange_metadata (${METADATA_COLUMNS.join(', ')})
  values ${placeholders(METADATA_COLUMNS)} on conflict do nothing`;
const TELL = `insert into live_events (${LIVE_COLUMNS.join(', ')}) values ${placeholders(LIVE_COLUMNS)}`;

function placeholders(columns: readonly string[]): string {
  return `(${columns.map(() => '?').join(', ')})`;
}

type Row = RowsRead['rows'][number];

/**
 * Reads the region here, in the writer's own thread, so that no row crosses threads, and inserts it
 * in one transaction. A row the table refuses is rejected alone; any other error undoes all of it.
 */
export function ingest(connection: Connection, region: SpoolRegion): Ingested {
  const { rows, rejected, torn, length } = readRows(readRegion(region), region.last);
  const next = region.from + length;
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

function insertAll(connection: Connection, rows: readonly Row[]): { inserted: number; refused: string[] } {
  const gatherer = new Gatherer(declaredIn(connection));
  const live = new LiveBatches();
  const refused: string[] = [];
  let inserted = 0;
  for (let at = 0; at < rows.length; at += TOGETHER) {
    const some = rows.slice(at, at + TOGETHER);
    const taken = insertTogether(connection, some) ? some : insertEach(connection, some, refused);
    inserted += taken.length;
    for (const { values } of taken) {
      gatherer.add(values);
      live.add(values);
    }
  }
  writeRollups(connection, gatherer);
  const tell = connection.prepare(TELL).statement;
  for (const event of live.rows()) tell.run(...event);
  return { inserted, refused };
}

/** One statement for rows that are all new and all good, as they nearly always are; false when it changed nothing. */
function insertTogether(connection: Connection, rows: readonly Row[]): boolean {
  if (rows.length < TOGETHER || !rows.every(({ values }) => hasTime(values))) return false;
  try {
    connection.prepare(INSERT_TOGETHER).statement.run(...allValues(rows));
    return true;
  } catch (error) {
    if (isRowsFault(error)) return false;
    throw error;
  }
}

/** Not `flatMap`, which costs 2 µs a row. */
function allValues(rows: readonly Row[]): RowValues[number][] {
  const all = [];
  for (const { values } of rows) for (let at = 0; at < values.length; at++) all.push(values[at] ?? null);
  return all;
}

/** The rows that were new; those the table refuses go to `refused`. */
function insertEach(connection: Connection, rows: readonly Row[], refused: string[]): Row[] {
  const { statement } = connection.prepare(INSERT);
  return rows.filter(({ line, values }) => {
    try {
      if (hasTime(values)) return Number(statement.run(...values).changes) > 0;
    } catch (error) {
      if (!isRowsFault(error)) throw error;
    }
    refused.push(line);
    return false;
  });
}

function declaredIn(connection: Connection) {
  const rows = connection.prepare(DECLARED).statement.all();
  return declaredKeys(
    rows.map(({ id, metadata_keys_json: json }) => ({
      id: String(id),
      metadata_keys_json: json === null ? null : String(json),
    })),
  );
}

function writeRollups(connection: Connection, gatherer: Gatherer): void {
  const { minutes, hours, pairs, metadata } = gatherer.result();
  addDeltas(connection, 'rollup_minutes', minutes);
  addDeltas(connection, 'rollup_hours', hours);
  addDeltas(connection, 'rollup_pairs', pairs);
  const addMetadata = connection.prepare(ADD_METADATA).statement;
  for (const entry of metadata) addMetadata.run(...metadataValues(entry));
}

function addDeltas(connection: Connection, table: RollupName, deltas: readonly RollupDelta[]): void {
  const { statement } = connection.prepare(
    addToRollup(table, `values ${placeholders(rollupColumns(table))}`),
  );
  for (const delta of deltas) statement.run(...rollupValues(table, delta));
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

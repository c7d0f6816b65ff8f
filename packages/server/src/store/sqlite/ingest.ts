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
import type { Connection } from './connection.ts';
import { isRowsFault } from './errors.ts';

const INSERT = `insert into exchanges (${EXCHANGE_COLUMNS.join(', ')})
  ${placeholders(EXCHANGE_COLUMNS)} on conflict (id) do nothing`;
const DECLARED = 'select id, metadata_keys_json from orgs where metadata_keys_json is not null';
const ADD_METADATA = `insert into exchange_metadata (${METADATA_COLUMNS.join(', ')})
  ${placeholders(METADATA_COLUMNS)} on conflict do nothing`;
const TELL = `insert into live_events (${LIVE_COLUMNS.join(', ')}) ${placeholders(LIVE_COLUMNS)}`;

function placeholders(columns: readonly string[]): string {
  return `values (${columns.map(() => '?').join(', ')})`;
}

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

function insertAll(connection: Connection, rows: RowsRead['rows']): { inserted: number; refused: string[] } {
  const { statement } = connection.prepare(INSERT);
  const gatherer = new Gatherer(declaredIn(connection));
  const live = new LiveBatches();
  const refused = [];
  let inserted = 0;
  for (const { line, values } of rows) {
    if (!hasTime(values)) {
      refused.push(line);
      continue;
    }
    try {
      if (Number(statement.run(...values).changes) === 0) continue;
    } catch (error) {
      if (!isRowsFault(error)) throw error;
      refused.push(line);
      continue;
    }
    inserted += 1;
    gatherer.add(values);
    live.add(values);
  }
  writeRollups(connection, gatherer);
  const tell = connection.prepare(TELL).statement;
  for (const event of live.rows()) tell.run(...event);
  return { inserted, refused };
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
  const { statement } = connection.prepare(addToRollup(table, placeholders(rollupColumns(table))));
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

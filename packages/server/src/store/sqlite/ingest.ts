import { closeSync, openSync, readSync } from 'node:fs';
import type { Ingested, SpoolRegion } from '../ports.ts';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import { type RowsRead, readRows } from '../spool/read-rows.ts';
import type { Connection } from './connection.ts';
import { isRowsFault } from './errors.ts';

const INSERT = `insert into exchanges (${EXCHANGE_COLUMNS.join(', ')})
  values (${EXCHANGE_COLUMNS.map(() => '?').join(', ')}) on conflict (id) do nothing`;

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
  const refused = [];
  let inserted = 0;
  for (const { line, values } of rows) {
    try {
      inserted += Number(statement.run(...values).changes);
    } catch (error) {
      if (!isRowsFault(error)) throw error;
      refused.push(line);
    }
  }
  return { inserted, refused };
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

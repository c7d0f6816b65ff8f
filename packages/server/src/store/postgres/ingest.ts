import { open } from 'node:fs/promises';
import { isObject, type Json } from '@floe/contract/json';
import { holdableText } from '../../core/holdable.ts';
import { LIVE_COLUMNS, LiveBatches } from '../live-batches.ts';
import type { Ingested, SpoolRegion } from '../ports.ts';
import { type DeclaredKeys, declaredKeys, Gatherer, type RollupDelta } from '../rollups/gather.ts';
import {
  addToRollup,
  METADATA_COLUMNS,
  metadataValues,
  ROLLUPS,
  type RollupName,
  rollupColumns,
  rollupValues,
} from '../rollups/statements.ts';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import { hasTime, readRows } from '../spool/read-rows.ts';
import type { RowValues } from '../spool/row-lines.ts';
import { isPartitionMissing, isRowsFault } from './errors.ts';
import { inTransaction, type Partitions } from './partitions.ts';
import type { PooledConnection } from './pool.ts';

interface Row {
  readonly line: string;
  readonly values: RowValues;
}

const ID = EXCHANGE_COLUMNS.indexOf('id');
const CREATED_AT = EXCHANGE_COLUMNS.indexOf('created_at');
const METADATA = EXCHANGE_COLUMNS.indexOf('metadata_json');

/** Rows as one JSON parameter: a statement has room for 65,535 parameters and a batch for more values. */
function selectFrom(table: string, columns: readonly string[]): string {
  return `select ${columns.join(', ')} from json_populate_recordset(null::${table}, $1)`;
}

function deltasOf(table: RollupName): string {
  const { key, figures } = ROLLUPS[table];
  return selectFrom(table, [
    ...key.map((name) => (name === 'at' ? 'coalesce(at, 0)' : name)),
    ...figures.map((name) => `coalesce(${name}, 0)`),
  ]);
}

const INSERT = `insert into exchanges (${EXCHANGE_COLUMNS.join(', ')}) ${selectFrom('exchanges', EXCHANGE_COLUMNS)}
  on conflict (id, created_at) do nothing returning id`;
const ADD: Readonly<Record<RollupName, string>> = {
  rollup_minutes: addToRollup('rollup_minutes', deltasOf('rollup_minutes')),
  rollup_hours: addToRollup('rollup_hours', deltasOf('rollup_hours')),
  rollup_pairs: addToRollup('rollup_pairs', deltasOf('rollup_pairs')),
};
const DECLARED = 'select id, metadata_keys_json from orgs where metadata_keys_json is not null';
const ADD_METADATA = `insert into exchange_metadata (${METADATA_COLUMNS.join(', ')})
  ${selectFrom('exchange_metadata', METADATA_COLUMNS)} on conflict do nothing`;
const TELL = `insert into live_events (${LIVE_COLUMNS.join(', ')}) values ($1, $2, $3, $4)`;

/**
 * Inserts the rows of a region and counts the new ones, in one transaction. When the tables refuse a row, the
 * region is done again row by row, so that it is rejected alone; any other error undoes all of it.
 */
export async function ingest(
  connection: PooledConnection,
  partitions: Partitions,
  region: SpoolRegion,
): Promise<Ingested> {
  const { rows: read, rejected, torn, length } = readRows(await readRegion(region), region.last);
  const next = region.from + length;
  const rows = read.filter(({ values }) => hasTime(values)).map(holdable);
  const refused = read.filter(({ values }) => !hasTime(values)).map(({ line }) => line);
  if (rows.length === 0) return { next, inserted: 0, known: 0, rejected: [...rejected, ...refused], torn };
  await partitions.ensure(
    connection,
    rows.map(({ values }) => Number(values[CREATED_AT])),
  );
  const result = await insertAll(connection, rows).catch((error: unknown) => {
    // Another process dropped a day; the next try makes it again.
    if (error instanceof Error && isPartitionMissing(error.cause)) partitions.forget();
    throw error;
  });
  refused.push(...result.refused);
  const known = rows.length - result.refused.length - result.inserted;
  return { next, inserted: result.inserted, known, rejected: [...rejected, ...refused], torn };
}

async function insertAll(connection: PooledConnection, rows: readonly Row[]) {
  try {
    return await inTransaction(connection, () => insertTogether(connection, rows));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return inTransaction(connection, () => insertOneByOne(connection, rows));
  }
}

async function insertTogether(connection: PooledConnection, rows: readonly Row[]) {
  const byId = new Map(rows.map((row) => [row.values[ID], row]));
  const inserted = await insert(connection, rows);
  await countNew(
    connection,
    inserted.flatMap((id) => byId.get(id) ?? []),
  );
  return { inserted: inserted.length, refused: [] };
}

async function insertOneByOne(connection: PooledConnection, rows: readonly Row[]) {
  const added: Row[] = [];
  const refused: string[] = [];
  for (const row of rows) {
    await connection.query('savepoint one_row', []);
    try {
      if ((await insert(connection, [row])).length > 0) added.push(row);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await connection.query('rollback to savepoint one_row', []);
      refused.push(row.line);
    }
  }
  await countNew(connection, added);
  return { inserted: added.length, refused };
}

/** Ids of the rows that were not there. */
async function insert(connection: PooledConnection, rows: readonly Row[]): Promise<string[]> {
  const objects = rows.map(({ values }) => toObject(EXCHANGE_COLUMNS, values));
  const answer = await connection.query<{ id: string }>(INSERT, [JSON.stringify(objects)]);
  return answer.rows.map(({ id }) => id);
}

async function countNew(connection: PooledConnection, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const gatherer = new Gatherer(await declaredIn(connection));
  const live = new LiveBatches();
  for (const { values } of rows) {
    gatherer.add(values);
    live.add(values);
  }
  for (const event of live.rows()) await connection.query(TELL, event);
  const { minutes, hours, pairs, metadata } = gatherer.result();
  await addDeltas(connection, 'rollup_minutes', minutes);
  await addDeltas(connection, 'rollup_hours', hours);
  await addDeltas(connection, 'rollup_pairs', pairs);
  if (metadata.length === 0) return;
  const entries = metadata.map((entry) => toObject(METADATA_COLUMNS, metadataValues(entry)));
  await connection.query(ADD_METADATA, [JSON.stringify(entries)]);
}

async function addDeltas(connection: PooledConnection, table: RollupName, deltas: readonly RollupDelta[]) {
  const columns = rollupColumns(table);
  const objects = deltas.map((delta) => withoutZeroes(columns, rollupValues(table, delta)));
  await connection.query(ADD[table], [JSON.stringify(objects)]);
}

/** Most of a delta is zero: left out, its JSON is a third as long, and the statement puts it back. */
function withoutZeroes(columns: readonly string[], values: readonly (string | number)[]): object {
  const object: Record<string, string | number> = {};
  for (const [at, name] of columns.entries()) {
    const value = values[at] ?? 0;
    if (value !== 0) object[name] = value;
  }
  return object;
}

async function declaredIn(connection: PooledConnection): Promise<DeclaredKeys> {
  const { rows } = await connection.query<{ id: string; metadata_keys_json: string | null }>(DECLARED, []);
  return declaredKeys(rows);
}

function toObject(columns: readonly string[], values: RowValues): Record<string, string | number | null> {
  return Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null]));
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && (isRowsFault(error) || isRowsFault(error.cause));
}

/** PostgreSQL's text holds neither U+0000 nor half a surrogate pair; both become U+FFFD. */
function holdable(row: Row): Row {
  if (!/\\u(0000|d[89a-f])/i.test(row.line)) return row;
  const values = row.values.map((value, at) => {
    if (typeof value !== 'string') return value;
    return at === METADATA ? holdableJson(value) : holdableText(value);
  });
  return { line: row.line, values };
}

/** Escapes inside JSON text are characters to whoever reads it: filters on metadata do, in the database. */
function holdableJson(text: string): string {
  try {
    return JSON.stringify(holdableValue(JSON.parse(text)));
  } catch {
    return holdableText(text);
  }
}

function holdableValue(value: Json): Json {
  if (typeof value === 'string') return holdableText(value);
  if (Array.isArray(value)) return value.map(holdableValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [holdableText(name), holdableValue(member ?? null)]),
  );
}

async function readRegion({ path, from, to }: SpoolRegion): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(to - from);
  const file = await open(path, 'r');
  try {
    let filled = 0;
    while (filled < piece.length) {
      const { bytesRead } = await file.read(piece, filled, piece.length - filled, from + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return piece.subarray(0, filled);
  } finally {
    await file.close();
  }
}

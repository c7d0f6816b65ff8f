import { open } from 'node:fs/promises';
import { isJsonObject, type Json } from '@floe/contract/json';
import { replaceUnstorableCharacters } from '../../core/unstorable-characters.ts';
import { LIVE_EVENT_COLUMNS, LiveExchangeBatchCollector } from '../live-exchange-batches.ts';
import {
  type DeclaredMetadataKeysByOrg,
  parseDeclaredMetadataKeys,
  RollupAccumulator,
  type RollupDelta,
} from '../rollups/rollup-accumulator.ts';
import {
  buildRollupUpsertSql,
  EXCHANGE_METADATA_COLUMNS,
  getRollupColumns,
  ROLLUP_TABLES,
  type RollupTableName,
  toExchangeMetadataRowValues,
  toRollupRowValues,
} from '../rollups/rollup-statements.ts';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import type { ExchangeRowValues } from '../spool/exchange-row-lines.ts';
import { hasValidExchangeTime, parseSpoolRows } from '../spool/parse-spool-rows.ts';
import type { SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';
import { type DayPartitions, runPostgresTransaction } from './day-partitions.ts';
import { isMissingPartitionError, isPostgresRowError } from './postgres-errors.ts';
import type { PostgresConnection } from './postgres-pool.ts';

interface Row {
  readonly line: string;
  readonly values: ExchangeRowValues;
}

const ID = EXCHANGE_COLUMNS.indexOf('id');
const CREATED_AT = EXCHANGE_COLUMNS.indexOf('created_at');
const METADATA = EXCHANGE_COLUMNS.indexOf('metadata_json');

/**
 * Selects rows from one JSON parameter, because a statement accepts 65,535 parameters and a batch has more
 * values.
 */
function selectFrom(table: string, columns: readonly string[]): string {
  return `select ${columns.join(', ')} from json_populate_recordset(null::${table}, $1)`;
}

function selectDeltas(table: RollupTableName): string {
  const { key, figures } = ROLLUP_TABLES[table];
  return selectFrom(table, [
    ...key.map((name) => (name === 'at' ? 'coalesce(at, 0)' : name)),
    ...figures.map((name) => `coalesce(${name}, 0)`),
  ]);
}

const INSERT_EXCHANGES = `insert into exchanges (${EXCHANGE_COLUMNS.join(', ')}) ${selectFrom('exchanges', EXCHANGE_COLUMNS)}
  on conflict (id, created_at) do nothing returning id`;
const UPSERT_ROLLUP: Readonly<Record<RollupTableName, string>> = {
  rollup_minutes: buildRollupUpsertSql('rollup_minutes', selectDeltas('rollup_minutes')),
  rollup_hours: buildRollupUpsertSql('rollup_hours', selectDeltas('rollup_hours')),
  rollup_pairs: buildRollupUpsertSql('rollup_pairs', selectDeltas('rollup_pairs')),
};
const SELECT_DECLARED_KEYS = 'select id, metadata_keys_json from orgs where metadata_keys_json is not null';
const INSERT_METADATA = `insert into exchange_metadata (${EXCHANGE_METADATA_COLUMNS.join(', ')})
  ${selectFrom('exchange_metadata', EXCHANGE_METADATA_COLUMNS)} on conflict do nothing`;
const INSERT_LIVE_EVENT = `insert into live_events (${LIVE_EVENT_COLUMNS.join(', ')}) values ($1, $2, $3, $4)`;

/**
 * Inserts the rows in a spool region and adds the new ones to the rollups, in one transaction. If a table rejects a
 * row or its rollups, skips only this row. After any other error, the caller repeats the region.
 */
export async function ingestPostgresSpoolRegion(
  connection: PostgresConnection,
  partitions: DayPartitions,
  region: SpoolRegion,
): Promise<SpoolIngestResult> {
  const { rows: read, rejected, torn, bytesRead } = parseSpoolRows(await readRegion(region), region.last);
  const next = region.from + bytesRead;
  const rows = read.filter(({ values }) => hasValidExchangeTime(values)).map(toStorableRow);
  const refused = read.filter(({ values }) => !hasValidExchangeTime(values)).map(({ line }) => line);
  if (rows.length === 0) return { next, inserted: 0, known: 0, rejected: [...rejected, ...refused], torn };
  await partitions.ensure(
    connection,
    rows.map(({ values }) => Number(values[CREATED_AT])),
  );
  const result = await insertAll(connection, rows).catch((error: unknown) => {
    // Another process dropped a partition. The next attempt creates it again.
    if (error instanceof Error && isMissingPartitionError(error.cause)) partitions.invalidate();
    throw error;
  });
  refused.push(...result.refused);
  const known = rows.length - result.refused.length - result.inserted;
  return { next, inserted: result.inserted, known, rejected: [...rejected, ...refused], torn };
}

/**
 * Inserts rows and their rollups in one transaction. If the database rejects the data of a row, inserts each half of the
 * rows in its own transaction, so that a rejected row costs few transactions and affects no other row.
 */
async function insertAll(connection: PostgresConnection, rows: readonly Row[]): Promise<InsertResult> {
  try {
    return await runPostgresTransaction(connection, () => insertInOneStatement(connection, rows));
  } catch (error) {
    if (!isRowRejection(error)) throw error;
    const [row] = rows;
    if (rows.length === 1 && row !== undefined) return { inserted: 0, refused: [row.line] };
    const middle = Math.ceil(rows.length / 2);
    const first = await insertAll(connection, rows.slice(0, middle));
    const second = await insertAll(connection, rows.slice(middle));
    return {
      inserted: first.inserted + second.inserted,
      refused: [...first.refused, ...second.refused],
    };
  }
}

interface InsertResult {
  readonly inserted: number;
  readonly refused: readonly string[];
}

async function insertInOneStatement(
  connection: PostgresConnection,
  rows: readonly Row[],
): Promise<InsertResult> {
  const byId = new Map(rows.map((row) => [row.values[ID], row]));
  const inserted = await insert(connection, rows);
  await recordInserted(
    connection,
    inserted.flatMap((id) => byId.get(id) ?? []),
  );
  return { inserted: inserted.length, refused: [] };
}

/** Inserts rows. Returns the ids of those that are new. */
async function insert(connection: PostgresConnection, rows: readonly Row[]): Promise<string[]> {
  const objects = rows.map(({ values }) => toObject(EXCHANGE_COLUMNS, values));
  const answer = await connection.query<{ id: string }>(INSERT_EXCHANGES, [JSON.stringify(objects)]);
  return answer.rows.map(({ id }) => id);
}

async function recordInserted(connection: PostgresConnection, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const gatherer = new RollupAccumulator(await readDeclaredKeys(connection));
  const live = new LiveExchangeBatchCollector();
  for (const { values } of rows) {
    gatherer.add(values);
    live.add(values);
  }
  for (const event of live.toRows()) await connection.query(INSERT_LIVE_EVENT, event);
  const { minutes, hours, pairs, metadata } = gatherer.result();
  await addDeltas(connection, 'rollup_minutes', minutes);
  await addDeltas(connection, 'rollup_hours', hours);
  await addDeltas(connection, 'rollup_pairs', pairs);
  if (metadata.length === 0) return;
  const entries = metadata.map((entry) =>
    toObject(EXCHANGE_METADATA_COLUMNS, toExchangeMetadataRowValues(entry)),
  );
  await connection.query(INSERT_METADATA, [JSON.stringify(entries)]);
}

async function addDeltas(
  connection: PostgresConnection,
  table: RollupTableName,
  deltas: readonly RollupDelta[],
) {
  const columns = getRollupColumns(table);
  const objects = deltas.map((delta) => withoutZeroes(columns, toRollupRowValues(table, delta)));
  await connection.query(UPSERT_ROLLUP[table], [JSON.stringify(objects)]);
}

/**
 * Omits zeros, which are most of the values, so that the JSON is a third as long. The statement adds them
 * again.
 */
function withoutZeroes(columns: readonly string[], values: readonly (string | number)[]): object {
  const object: Record<string, string | number> = {};
  for (const [at, name] of columns.entries()) {
    const value = values[at] ?? 0;
    if (value !== 0) object[name] = value;
  }
  return object;
}

async function readDeclaredKeys(connection: PostgresConnection): Promise<DeclaredMetadataKeysByOrg> {
  const { rows } = await connection.query<{ id: string; metadata_keys_json: string | null }>(
    SELECT_DECLARED_KEYS,
    [],
  );
  return parseDeclaredMetadataKeys(rows);
}

function toObject(
  columns: readonly string[],
  values: ExchangeRowValues,
): Record<string, string | number | null> {
  return Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null]));
}

function isRowRejection(error: unknown): boolean {
  return error instanceof Error && (isPostgresRowError(error) || isPostgresRowError(error.cause));
}

/** Replaces characters that PostgreSQL text cannot contain, U+0000 and unpaired surrogates, with U+FFFD. */
function toStorableRow(row: Row): Row {
  if (!/\\u(0000|d[89a-f])/i.test(row.line)) return row;
  const values = row.values.map((value, at) => {
    if (typeof value !== 'string') return value;
    return at === METADATA ? toStorableJson(value) : replaceUnstorableCharacters(value);
  });
  return { line: row.line, values };
}

/** Replaces the JSON escapes of these characters, because metadata filters in the database decode them. */
function toStorableJson(text: string): string {
  try {
    return JSON.stringify(toStorableValue(JSON.parse(text)));
  } catch {
    return replaceUnstorableCharacters(text);
  }
}

function toStorableValue(value: Json): Json {
  if (typeof value === 'string') return replaceUnstorableCharacters(value);
  if (Array.isArray(value)) return value.map(toStorableValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      replaceUnstorableCharacters(name),
      toStorableValue(member ?? null),
    ]),
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

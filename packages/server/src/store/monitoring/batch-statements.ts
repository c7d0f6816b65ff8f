import { CompiledQuery } from 'kysely';
import { type DatabaseEngine, getDatabaseEngine } from '../database-engine.ts';
import type { DatabaseWriter } from '../store-interfaces.ts';

type Value = string | number | null;
type RowRecords = readonly Readonly<Record<string, Value>>[];

/**
 * An SQL statement that takes JSON arrays of rows as parameters, in the SQL of SQLite and of PostgreSQL.
 * Define each one only once, because such statements run for every beat.
 */
export interface BatchStatement {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * Defines a statement for both engines. `rows(n, …)` returns the SQL that reads the n-th parameter as a
 * table.
 */
export function defineBatchStatement(
  text: (
    rows: (parameter: number, table: string, columns: readonly string[]) => string,
    engine: DatabaseEngine,
  ) => string,
): BatchStatement {
  return {
    sqlite: text((parameter, _, columns) => {
      // Positions instead of names, because arrays need a third of the JSON, and SQLite finds elements by
      // counting.
      const picked = columns.map((column, at) => `value ->> ${at} as ${column}`);
      return `(select ${picked.join(', ')} from json_each(?${parameter}))`;
    }, 'sqlite'),
    postgres: text(
      (parameter, table, columns) =>
        `(select ${columns.join(', ')} from json_populate_recordset(null::${table}, $${parameter}::json))`,
      'postgres',
    ),
  };
}

/**
 * Encodes rows as one JSON parameter. Batches of any size can therefore use the same statement, which is
 * parsed only once.
 */
export function encodeRowsAsJson(
  writer: DatabaseWriter,
  columns: readonly string[],
  rows: RowRecords,
): string {
  if (getDatabaseEngine(writer) === 'postgres')
    return replaceUnstorableJsonEscapes(JSON.stringify(rows, [...columns]));
  return JSON.stringify(rows.map((row) => columns.map((column) => row[column])));
}

/**
 * Runs a batch statement in a transaction and returns the selected rows. The caller specifies the
 * row type.
 */
export async function runBatchStatement<Row>(
  writer: DatabaseWriter,
  { sqlite, postgres }: BatchStatement,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const query = CompiledQuery.raw(getDatabaseEngine(writer) === 'sqlite' ? sqlite : postgres, [
    ...parameters,
  ]);
  return castRows<Row>((await writer.executeQuery(query)).rows);
}

/** Returns a statement that inserts rows, or replaces those with the same `uid`. */
export function buildUpsertStatement(table: string, columns: readonly string[]): BatchStatement {
  const others = columns.filter((column) => column !== 'uid');
  return defineBatchStatement(
    (rows) => `insert into ${table} (${columns.join(', ')})
      select * from ${rows(1, table, columns)} as given where true
      on conflict (uid) do update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );
}

/** Maximum number of rows per statement, which then takes some milliseconds. */
const ROWS_PER_UPSERT = 1_000;

/** Runs a statement from `buildUpsertStatement` for any number of rows, in several batches if necessary. */
export async function upsertRows<Row extends object>(
  writer: DatabaseWriter,
  text: BatchStatement,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_UPSERT) {
    const some = rows.slice(at, at + ROWS_PER_UPSERT).map((row) => toRecord(row, columns));
    await runBatchStatement(writer, text, [encodeRowsAsJson(writer, columns, some)]);
  }
}

/**
 * Copies a row to a type with an index signature, which interfaces lack. Rows contain numbers, texts and
 * null.
 */
function toRecord<Row extends object>(
  row: Row,
  columns: readonly (keyof Row & string)[],
): Record<string, Value> {
  return Object.fromEntries(
    columns.map((column) => {
      const value = row[column] ?? null;
      return [column, typeof value === 'number' ? value : value === null ? null : String(value)];
    }),
  );
}

/** Replaces JSON escapes that PostgreSQL cannot store as text: U+0000 and unpaired surrogates. */
export function replaceUnstorableJsonEscapes(json: string): string {
  return json.replace(/\\u0000|\\ud[89a-f]../gi, '\\ufffd');
}

/** Converts the type of the result rows. The text of the statement selects the columns of this type. */
function castRows<Row>(rows: unknown[]): Row[] {
  return rows as Row[];
}

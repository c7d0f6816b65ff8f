import { CompiledQuery } from 'kysely';
import { type DatabaseEngine, databaseEngineOf } from '../database-engine.ts';
import type { DatabaseWriter } from '../ports.ts';

type Value = string | number | null;
type RowRecords = readonly Readonly<Record<string, Value>>[];

/** SQL of a statement whose parameters are JSON lists of rows, per engine: made once, for it is the hot path. */
export interface BatchStatement {
  readonly sqlite: string;
  readonly postgres: string;
}

/** Makes a statement for both engines; `rows(n, …)` stands for the n-th parameter as a table. */
export function defineBatchStatement(
  text: (
    rows: (parameter: number, table: string, columns: readonly string[]) => string,
    engine: DatabaseEngine,
  ) => string,
): BatchStatement {
  return {
    sqlite: text((parameter, _, columns) => {
      // Positions, not names: an array is a third of the JSON, and SQLite finds its members by counting.
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

/** Rows as one parameter: a statement per batch whatever its size, always the same text, so that it is parsed once. */
export function encodeRows(writer: DatabaseWriter, columns: readonly string[], rows: RowRecords): string {
  if (databaseEngineOf(writer) === 'postgres')
    return replaceUnstorableJson(JSON.stringify(rows, [...columns]));
  return JSON.stringify(rows.map((row) => columns.map((column) => row[column])));
}

/** Runs a statement in a transaction. The rows are those its text selects; the caller names their type. */
export async function runBatchStatement<Row>(
  writer: DatabaseWriter,
  { sqlite, postgres }: BatchStatement,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const query = CompiledQuery.raw(databaseEngineOf(writer) === 'sqlite' ? sqlite : postgres, [...parameters]);
  return castRows<Row>((await writer.executeQuery(query)).rows);
}

/** A statement that adds rows, or replaces them by their `uid`. */
export function buildUpsertStatement(table: string, columns: readonly string[]): BatchStatement {
  const others = columns.filter((column) => column !== 'uid');
  return defineBatchStatement(
    (rows) => `insert into ${table} (${columns.join(', ')})
      select * from ${rows(1, table, columns)} as given where true
      on conflict (uid) do update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );
}

/** Rows of one statement: some milliseconds. */
const ROWS_PER_UPSERT = 1_000;

/** Runs a statement of `putting`, for however many rows. */
export async function upsertRows<Row extends object>(
  writer: DatabaseWriter,
  text: BatchStatement,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_UPSERT) {
    const some = rows.slice(at, at + ROWS_PER_UPSERT).map((row) => toRecord(row, columns));
    await runBatchStatement(writer, text, [encodeRows(writer, columns, some)]);
  }
}

/** A row with an index signature, which interfaces lack; tables hold numbers, texts and null. */
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

/** PostgreSQL's text holds neither U+0000 nor half a surrogate pair, which JSON spells out. */
export function replaceUnstorableJson(json: string): string {
  return json.replace(/\\u0000|\\ud[89a-f]../gi, '\\ufffd');
}

/** The statement's text selects the columns of the type it is run for; the migrations made them that way. */
function castRows<Row>(rows: unknown[]): Row[] {
  return rows as Row[];
}

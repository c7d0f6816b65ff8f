import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../ports.ts';

type Value = string | number | null;

/**
 * Rows as one JSON parameter, to be read from like a table: a statement per batch whatever its size, always the
 * same text, so that it is parsed once. Every column is there in every row.
 */
export function recordset<Column extends string>(
  engine: Engine,
  table: string,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Value>>[],
): RawBuilder<unknown> {
  if (engine === 'postgres') {
    const json = holdable(JSON.stringify(rows));
    return sql`(select ${list(columns)} from json_populate_recordset(null::${sql.table(table)}, ${json}::json))`;
  }
  // Positions, not names: an array is a third of the JSON and SQLite finds its members by counting.
  const json = JSON.stringify(rows.map((row) => columns.map((column) => row[column])));
  const picked = columns.map((column, at) => sql`value ->> ${sql.lit(at)} as ${sql.ref(column)}`);
  return sql`(select ${sql.join(picked)} from json_each(${json}))`;
}

/** `a, b, c` for a list of columns. */
export function list(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}

/** PostgreSQL's text holds no U+0000; half surrogate pairs never come out of `JSON.stringify` whole. */
function holdable(json: string): string {
  return json.replace(/\\u0000|\\ud[89a-f]../gi, '\\ufffd');
}

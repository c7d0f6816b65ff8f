import { sql } from 'kysely';
import type { RollupTable } from '../schema.ts';
import type { DatabaseWriter } from '../store-interfaces.ts';
import { addStoredSums } from '../stored-sums.ts';
import { ROLLUP_FIGURE_COLUMNS } from './rollup-figures.ts';
import { buildFigureSumSql, ROLLUP_TABLES } from './rollup-statements.ts';

/** Number of rows per statement. SQLite accepts 32,766 parameters. */
const ROWS_PER_INSERT = 200;

/** Adds up the rows of one organization and facet that have the same time and value, and adds them to a rollup table. */
export async function addRollupRows(
  writer: DatabaseWriter,
  table: 'rollup_minutes' | 'rollup_hours',
  rows: readonly RollupTable[],
): Promise<void> {
  const merged = mergeRollupRows(rows);
  const sums = ROLLUP_FIGURE_COLUMNS.map((figure) => [
    figure,
    sql.raw<number>(buildFigureSumSql(table, figure)),
  ]);
  for (let at = 0; at < merged.length; at += ROWS_PER_INSERT)
    await writer
      .insertInto(table)
      .values(merged.slice(at, at + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict.columns(ROLLUP_TABLES[table].key).doUpdateSet(Object.fromEntries(sums)),
      )
      .execute();
}

function mergeRollupRows(rows: readonly RollupTable[]): RollupTable[] {
  const found = new Map<string, RollupTable>();
  for (const row of rows) {
    const name = `${row.at} ${row.value}`;
    const known = found.get(name);
    if (!known) found.set(name, { ...row });
    else
      for (const figure of ROLLUP_FIGURE_COLUMNS) known[figure] = addStoredSums(known[figure], row[figure]);
  }
  return [...found.values()];
}

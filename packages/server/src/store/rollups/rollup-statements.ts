import { buildStoredSumSql } from '../stored-sums.ts';
import type { ExchangeMetadataEntry, RollupDelta } from './rollup-accumulator.ts';
import { ROLLUP_FIGURE_COLUMNS, ROLLUP_SUM_COLUMNS, type RollupFigureColumn } from './rollup-figures.ts';

/** The rollup tables, with their key columns and value columns. */
export const ROLLUP_TABLES = {
  rollup_minutes: { key: ['org_id', 'facet', 'at', 'value'], figures: ROLLUP_FIGURE_COLUMNS },
  rollup_hours: { key: ['org_id', 'facet', 'at', 'value'], figures: ROLLUP_FIGURE_COLUMNS },
  rollup_pairs: { key: ['org_id', 'facet', 'value', 'by_value', 'at'], figures: ROLLUP_SUM_COLUMNS },
} as const;
export type RollupTableName = keyof typeof ROLLUP_TABLES;

/** The columns of the table with metadata values of exchanges. */
export const EXCHANGE_METADATA_COLUMNS = ['org_id', 'name', 'value', 'created_at', 'exchange_id'] as const;

/** Returns the key columns of a rollup table, followed by its value columns. */
export function getRollupColumns(table: RollupTableName): readonly string[] {
  return [...ROLLUP_TABLES[table].key, ...ROLLUP_TABLES[table].figures];
}

/**
 * Returns the SQL that adds the rows of `source` (values or a select) to a rollup table, for both engines.
 */
export function buildRollupUpsertSql(table: RollupTableName, source: string): string {
  const { key, figures } = ROLLUP_TABLES[table];
  return `insert into ${table} as t (${getRollupColumns(table).join(', ')}) ${source}
    on conflict (${key.join(', ')}) do update set
    ${figures.map((name) => `${name} = ${buildFigureSumSql('t', name)}`).join(', ')}`;
}

const SUM_COLUMNS: ReadonlySet<string> = new Set(ROLLUP_SUM_COLUMNS);

/** Returns the SQL that adds a value column of an upsert to the stored row `table`. */
export function buildFigureSumSql(table: string, name: RollupFigureColumn): string {
  // The other columns count requests, so they remain small.
  return SUM_COLUMNS.has(name) ? buildStoredSumSql(table, name) : `${table}.${name} + excluded.${name}`;
}

/** Returns the values of an increment in the order of `getRollupColumns`. */
export function toRollupRowValues(table: RollupTableName, delta: RollupDelta): (string | number)[] {
  const { orgId, facet, at, value, byValue, figures } = delta;
  return table === 'rollup_pairs'
    ? [orgId, facet, value, byValue, at, ...figures.slice(0, ROLLUP_SUM_COLUMNS.length)]
    : [orgId, facet, at, value, ...figures];
}

/** Returns a metadata entry's values in the order of `EXCHANGE_METADATA_COLUMNS`. */
export function toExchangeMetadataRowValues(entry: ExchangeMetadataEntry): (string | number)[] {
  return [entry.orgId, entry.name, entry.value, entry.createdAt, entry.exchangeId];
}

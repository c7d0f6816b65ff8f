import { FIGURES, SUMS } from './figures.ts';
import type { MetadataEntry, RollupDelta } from './gather.ts';

/** The rollup tables: their keys, and the figures they add up. */
export const ROLLUPS = {
  rollup_minutes: { key: ['org_id', 'facet', 'at', 'value'], figures: FIGURES },
  rollup_hours: { key: ['org_id', 'facet', 'at', 'value'], figures: FIGURES },
  rollup_pairs: { key: ['org_id', 'facet', 'value', 'by_value', 'at'], figures: SUMS },
} as const;
export type RollupName = keyof typeof ROLLUPS;

export const METADATA_COLUMNS = ['org_id', 'name', 'value', 'created_at', 'exchange_id'] as const;

export function rollupColumns(table: RollupName): readonly string[] {
  return [...ROLLUPS[table].key, ...ROLLUPS[table].figures];
}

/** Adds rows of `source` (a list of values, or a select) to a rollup table; both engines read it. */
export function addToRollup(table: RollupName, source: string): string {
  const { key, figures } = ROLLUPS[table];
  return `insert into ${table} as t (${rollupColumns(table).join(', ')}) ${source}
    on conflict (${key.join(', ')}) do update set
    ${figures.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')}`;
}

/** A delta's values in the order of `rollupColumns`. */
export function rollupValues(table: RollupName, delta: RollupDelta): (string | number)[] {
  const { orgId, facet, at, value, byValue, figures } = delta;
  return table === 'rollup_pairs'
    ? [orgId, facet, value, byValue, at, ...figures.slice(0, SUMS.length)]
    : [orgId, facet, at, value, ...figures];
}

/** An entry's values in the order of `METADATA_COLUMNS`. */
export function metadataValues(entry: MetadataEntry): (string | number)[] {
  return [entry.orgId, entry.name, entry.value, entry.createdAt, entry.exchangeId];
}

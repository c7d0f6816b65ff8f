import { FIGURES } from './figures.ts';
import type { MetadataEntry, RollupDelta } from './gather.ts';

export const ROLLUP_COLUMNS = ['org_id', 'facet', 'value', 'at', 'by_value', ...FIGURES] as const;
export const METADATA_COLUMNS = ['org_id', 'name', 'value', 'created_at', 'exchange_id'] as const;

const SUMMED = FIGURES.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ');

/** Adds rows of `source` (a list of values, or a select) to a rollup table; both engines read it. */
export function addToRollup(table: 'rollup_minutes' | 'rollup_hours', source: string): string {
  return `insert into ${table} as t (${ROLLUP_COLUMNS.join(', ')}) ${source}
    on conflict (org_id, facet, value, at, by_value) do update set ${SUMMED}`;
}

/** A delta's values in the order of `ROLLUP_COLUMNS`. */
export function rollupValues(delta: RollupDelta): (string | number)[] {
  return [delta.orgId, delta.facet, delta.value, delta.at, delta.byValue, ...delta.figures];
}

/** An entry's values in the order of `METADATA_COLUMNS`. */
export function metadataValues(entry: MetadataEntry): (string | number)[] {
  return [entry.orgId, entry.name, entry.value, entry.createdAt, entry.exchangeId];
}

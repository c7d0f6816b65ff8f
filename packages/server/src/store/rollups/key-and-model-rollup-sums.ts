import { sql } from 'kysely';
import type { DatabaseReader } from '../store-interfaces.ts';
import { resolvePairFacet } from './rollup-accumulator.ts';
import { ROLLUP_SUM_COLUMNS } from './rollup-figures.ts';
import { sumAsDouble } from './sum-as-double.ts';

/** The sums over the requests of one key to one model. */
export interface KeyAndModelRollupSums {
  /** Id of the key. */
  readonly key: string;
  /** The model that served the requests, or the requested model for blocked ones. '' if there is none. */
  readonly model: string;
  /** The sums, in the order of `ROLLUP_SUM_COLUMNS`. */
  readonly sums: readonly number[];
}

/** Returns the sums over a range of whole hours by key and model, sorted by both. */
export async function sumRollupsByKeyAndModel(
  reader: DatabaseReader,
  { orgId, from, to }: { readonly orgId: string; readonly from: number; readonly to: number },
): Promise<KeyAndModelRollupSums[]> {
  const { facet, first } = resolvePairFacet('key', 'model');
  const rows = await reader
    .selectFrom('rollup_pairs')
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '>=', from)
    .where('at', '<', to)
    .select(['value', 'by_value', ...ROLLUP_SUM_COLUMNS.map((name) => sumAsDouble(sql.ref(name)).as(name))])
    .groupBy(['value', 'by_value'])
    .execute();
  const found = rows.map((row) => ({
    key: first === 'key' ? row.value : row.by_value,
    model: first === 'key' ? row.by_value : row.value,
    sums: ROLLUP_SUM_COLUMNS.map((name) => row[name]),
  }));
  return found.sort((a, b) => compare(a.key, b.key) || compare(a.model, b.model));
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

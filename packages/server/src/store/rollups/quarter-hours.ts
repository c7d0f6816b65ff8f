import { sql } from 'kysely';
import type { Database, DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { addRollupRows } from './merge-rollup-rows.ts';
import { MINUTE_MS } from './rollup-accumulator.ts';

/**
 * A quarter hour in milliseconds, into which old minutes are merged. The UTC offsets of all current time
 * zones are multiples of it.
 */
export const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/**
 * The facet that counts all requests. If any facet has a row for a time, this facet has one too.
 */
export const ALL_FACET = 'all';
/** Number of rows per transaction, which then takes some milliseconds. */
const ROWS_PER_BATCH = 500;

/**
 * Returns the facets that occur in an organization's rollup rows, without a full scan. `all` is
 * last.
 */
export async function listRollupFacets(
  reader: DatabaseReader,
  table: 'rollup_minutes' | 'rollup_hours' | 'rollup_pairs',
  orgId: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let last = ''; ; last = found.at(-1) ?? '') {
    const next = await reader
      .selectFrom(table)
      .select('facet')
      .where('org_id', '=', orgId)
      .where('facet', '>', last)
      .orderBy('facet')
      .limit(1)
      .executeTakeFirst();
    if (!next) return found.sort((one, other) => Number(one === ALL_FACET) - Number(other === ALL_FACET));
    found.push(next.facet);
  }
}

/**
 * Merges minutes from before `beforeMs` into quarter hours, in the same table and in batches.
 * Afterwards, a row at the start of a quarter hour may contain the sums of the whole quarter hour.
 * The sums over each quarter hour stay correct at all times.
 */
export async function mergeMinutesIntoQuarterHours(
  database: Pick<Database, 'read' | 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<void> {
  const before = beforeMs - (beforeMs % QUARTER_HOUR_MS);
  const from = await findFirstUnmergedMinute(database.read, orgId, before);
  if (from === null) return;
  // `all` determines the start. It is merged last, so that the next round completes an interrupted one.
  for (const facet of await listRollupFacets(database.read, 'rollup_minutes', orgId)) {
    let next: number | null = from;
    while (next !== null) {
      const stretch: MergeRange = { orgId, facet, from: next, before };
      next = await database.transaction((writer) => mergeBatch(writer, stretch));
    }
  }
}

async function findFirstUnmergedMinute(
  reader: DatabaseReader,
  orgId: string,
  before: number,
): Promise<number | null> {
  const first = await reader
    .selectFrom('rollup_minutes')
    .select('at')
    .where('org_id', '=', orgId)
    .where('facet', '=', ALL_FACET)
    .where('at', '<', before)
    .where(isWithinQuarter)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return first?.at ?? null;
}

const isWithinQuarter = sql<boolean>`at % ${sql.lit(QUARTER_HOUR_MS)} <> 0`;

interface MergeRange {
  readonly orgId: string;
  readonly facet: string;
  /** Inclusive, in milliseconds. */
  readonly from: number;
  /** Exclusive, in milliseconds. */
  readonly before: number;
}

/**
 * Merges the first minutes of a range. Returns where to continue, or null at its end. Without this
 * position, PostgreSQL would scan all rows that were just deleted.
 */
async function mergeBatch(
  writer: DatabaseWriter,
  { orgId, facet, from, before }: MergeRange,
): Promise<number | null> {
  const some = writer
    .selectFrom('rollup_minutes')
    .select(['at', 'value'])
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '>=', from)
    .where('at', '<', before)
    .where(isWithinQuarter)
    .orderBy('at')
    .orderBy('value')
    .limit(ROWS_PER_BATCH);
  const taken = await writer
    .deleteFrom('rollup_minutes')
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where(sql<boolean>`(at, value) in ${some}`)
    .returningAll()
    .execute();
  const quarters = taken.map((row) => ({ ...row, at: row.at - (row.at % QUARTER_HOUR_MS) }));
  await addRollupRows(writer, 'rollup_minutes', quarters);
  return taken.length < ROWS_PER_BATCH ? null : Math.max(...taken.map(({ at }) => at));
}

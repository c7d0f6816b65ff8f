import { sql } from 'kysely';
import type { RollupPairsTable } from '../schema.ts';
import type { Database, DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { ALL_FACET, listRollupFacets, mergeMinutesIntoQuarterHours } from './quarter-hours.ts';
import { HOUR_MS } from './rollup-accumulator.ts';

const DAY_MS = 24 * HOUR_MS;
/** Number of rows per transaction, which then takes some milliseconds. */
const ROWS_PER_BATCH = 2000;

type RollupDatabase = Pick<Database, 'read' | 'transaction'>;

/**
 * Merges an organization's per-minute rollups from before `minutesMs`, and deletes whole days of rollups from
 * before `requestsMs`. Works in batches, so that writers wait for at most one batch. Scans the tables, so it
 * should run only once a day.
 */
export async function expireRollups(
  database: RollupDatabase,
  orgId: string,
  { requestsMs, minutesMs }: { readonly requestsMs: number; readonly minutesMs: number },
): Promise<void> {
  const before = requestsMs - (requestsMs % DAY_MS);
  const oldest = await findOldestHour(database.read, orgId);
  if (oldest !== null && oldest < before) {
    await deletePairs(database, orgId, before);
    await deleteUnits(database, 'rollup_minutes', orgId, before);
    await deleteUnits(database, 'rollup_hours', orgId, before);
  }
  await mergeMinutesIntoQuarterHours(database, orgId, minutesMs);
}

/**
 * Returns the oldest hour with rollups; null if there is none. Reads the facet `all`, which is deleted last,
 * so that an interrupted deletion is completed later.
 */
async function findOldestHour(reader: DatabaseReader, orgId: string): Promise<number | null> {
  const oldest = await reader
    .selectFrom('rollup_hours')
    .select('at')
    .where('org_id', '=', orgId)
    .where('facet', '=', ALL_FACET)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return oldest?.at ?? null;
}

async function deleteUnits(
  database: RollupDatabase,
  table: 'rollup_minutes' | 'rollup_hours',
  orgId: string,
  before: number,
): Promise<void> {
  for (const facet of await listRollupFacets(database.read, table, orgId)) {
    let removed: number;
    do removed = await database.transaction((writer) => deleteBatch(writer, { table, orgId, facet, before }));
    while (removed === ROWS_PER_BATCH);
  }
}

interface ExpiredRollupRange {
  readonly table: 'rollup_minutes' | 'rollup_hours';
  readonly orgId: string;
  readonly facet: string;
  readonly before: number;
}

async function deleteBatch(
  writer: DatabaseWriter,
  { table, orgId, facet, before }: ExpiredRollupRange,
): Promise<number> {
  const some = writer
    .selectFrom(table)
    .select(['at', 'value'])
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '<', before)
    .limit(ROWS_PER_BATCH);
  const { numDeletedRows } = await writer
    .deleteFrom(table)
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where(sql<boolean>`(at, value) in ${some}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes rollups of pairs from before a time. Scans all of them, because their key ends with the time. */
async function deletePairs(database: RollupDatabase, orgId: string, before: number): Promise<void> {
  for (const facet of await listRollupFacets(database.read, 'rollup_pairs', orgId)) {
    let over: PairKey[];
    let last: PairKey | undefined;
    do {
      over = await listPairsBefore(database.read, { orgId, facet, before, last });
      last = over.at(-1);
      if (over.length > 0)
        await database.transaction((writer) => deletePairBatch(writer, orgId, facet, over));
    } while (over.length === ROWS_PER_BATCH);
  }
}

type PairKey = Pick<RollupPairsTable, 'value' | 'by_value' | 'at'>;

async function listPairsBefore(
  reader: DatabaseReader,
  asked: {
    readonly orgId: string;
    readonly facet: string;
    readonly before: number;
    readonly last: PairKey | undefined;
  },
): Promise<PairKey[]> {
  const { orgId, facet, before, last } = asked;
  let rows = reader
    .selectFrom('rollup_pairs')
    .select(['value', 'by_value', 'at'])
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '<', before);
  if (last)
    rows = rows.where(sql<boolean>`(value, by_value, at) > (${last.value}, ${last.by_value}, ${last.at})`);
  return rows.orderBy('value').orderBy('by_value').orderBy('at').limit(ROWS_PER_BATCH).execute();
}

async function deletePairBatch(
  writer: DatabaseWriter,
  orgId: string,
  facet: string,
  pairs: readonly PairKey[],
): Promise<void> {
  const keys = pairs.map(({ value, by_value, at }) => sql`(${value}, ${by_value}, cast(${at} as bigint))`);
  await writer
    .deleteFrom('rollup_pairs')
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where(sql<boolean>`(value, by_value, at) in (values ${sql.join(keys)})`)
    .execute();
}

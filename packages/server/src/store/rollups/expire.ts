import { sql } from 'kysely';
import type { Database, Reader, Writer } from '../ports.ts';
import type { RollupPairTable } from '../schema.ts';
import { HOUR_MS } from './gather.ts';
import { ALL, facetsOf, mergeMinutes } from './quarters.ts';

const DAY_MS = 24 * HOUR_MS;
/** A transaction of some milliseconds. */
const ROWS_PER_BATCH = 2000;

type Store = Pick<Database, 'read' | 'transaction'>;

/**
 * Merges an org's minutes before `minutesMs`, and removes whole days of rollups that lie before `requestsMs`. What
 * writes waits for nothing longer than a batch: tables are walked over by readers, once a day and not every hour.
 */
export async function expireRollups(
  database: Store,
  orgId: string,
  { requestsMs, minutesMs }: { readonly requestsMs: number; readonly minutesMs: number },
): Promise<void> {
  const before = requestsMs - (requestsMs % DAY_MS);
  const oldest = await oldestHour(database.read, orgId);
  if (oldest !== null && oldest < before) {
    await removePairs(database, orgId, before);
    await removeUnits(database, 'rollup_minutes', orgId, before);
    await removeUnits(database, 'rollup_hours', orgId, before);
  }
  await mergeMinutes(database, orgId, minutesMs);
}

/** Of `ALL`, which is removed last: a round that broke off is made good by the next. */
async function oldestHour(reader: Reader, orgId: string): Promise<number | null> {
  const oldest = await reader
    .selectFrom('rollup_hours')
    .select('at')
    .where('org_id', '=', orgId)
    .where('facet', '=', ALL)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return oldest?.at ?? null;
}

async function removeUnits(
  database: Store,
  table: 'rollup_minutes' | 'rollup_hours',
  orgId: string,
  before: number,
): Promise<void> {
  for (const facet of await facetsOf(database.read, table, orgId)) {
    let removed: number;
    do removed = await database.transaction((writer) => removeSome(writer, { table, orgId, facet, before }));
    while (removed === ROWS_PER_BATCH);
  }
}

interface Over {
  readonly table: 'rollup_minutes' | 'rollup_hours';
  readonly orgId: string;
  readonly facet: string;
  readonly before: number;
}

async function removeSome(writer: Writer, { table, orgId, facet, before }: Over): Promise<number> {
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

/** Their key ends with the time: all of them are looked at, by a reader. */
async function removePairs(database: Store, orgId: string, before: number): Promise<void> {
  for (const facet of await facetsOf(database.read, 'rollup_pairs', orgId)) {
    let over: PairKey[];
    let last: PairKey | undefined;
    do {
      over = await pairsBefore(database.read, { orgId, facet, before, last });
      last = over.at(-1);
      if (over.length > 0) await database.transaction((writer) => removeThese(writer, orgId, facet, over));
    } while (over.length === ROWS_PER_BATCH);
  }
}

type PairKey = Pick<RollupPairTable, 'value' | 'by_value' | 'at'>;

async function pairsBefore(
  reader: Reader,
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

async function removeThese(
  writer: Writer,
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

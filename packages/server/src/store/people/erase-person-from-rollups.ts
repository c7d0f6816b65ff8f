import { sql } from 'kysely';
import { addRollupRows } from '../rollups/merge-rollup-rows.ts';
import { listRollupFacets } from '../rollups/quarter-hours.ts';
import type { RollupTable } from '../schema.ts';
import type { Database, DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { buildPersonCondition, type Person } from './person.ts';

const TABLES = ['rollup_minutes', 'rollup_hours'] as const;
type Table = (typeof TABLES)[number];

/** Number of rows per statement. SQLite accepts 32,766 parameters. */
const ROWS_PER_BATCH = 200;

/**
 * Moves the person's sums in the rollups to the rows without a value. Processes the facet `owner` and each
 * metadata facet that contains the person as a value. All totals stay the same. Can be repeated after an
 * interruption.
 * @throws the reason of the signal if it is aborted
 */
export async function erasePersonFromRollups(
  database: Pick<Database, 'read' | 'transaction'>,
  person: Person,
  signal: AbortSignal,
): Promise<void> {
  for (const table of TABLES)
    for (const facet of await listRollupFacets(database.read, table, person.orgId))
      if (facet.startsWith('metadata.') || (facet === 'owner' && person.email !== null))
        await eraseFacet(database, { table, facet, person }, signal);
}

interface PersonFacet {
  readonly table: Table;
  readonly facet: string;
  readonly person: Person;
}

async function eraseFacet(
  database: Pick<Database, 'read' | 'transaction'>,
  facet: PersonFacet,
  signal: AbortSignal,
): Promise<void> {
  let from = 0;
  for (;;) {
    signal.throwIfAborted();
    const rows = await listPersonRollups(database.read, facet, from);
    const last = rows.at(-1);
    if (!last) return;
    await database.transaction((writer) => moveRollups(writer, facet, rows));
    from = last.at;
  }
}

function listPersonRollups(
  reader: DatabaseReader,
  { table, facet, person }: PersonFacet,
  from: number,
): Promise<Pick<RollupTable, 'at' | 'value'>[]> {
  return reader
    .selectFrom(table)
    .select(['at', 'value'])
    .where('org_id', '=', person.orgId)
    .where('facet', '=', facet)
    .where('at', '>=', from)
    .where(buildPersonCondition(sql.ref('value'), person))
    .orderBy('at')
    .orderBy('value')
    .limit(ROWS_PER_BATCH)
    .execute();
}

async function moveRollups(
  writer: DatabaseWriter,
  { table, facet, person }: PersonFacet,
  rows: readonly Pick<RollupTable, 'at' | 'value'>[],
): Promise<void> {
  // PostgreSQL takes parameters of VALUES for text.
  const places = rows.map(({ at, value }) => sql`(cast(${at} as bigint), ${value})`);
  const taken = await writer
    .deleteFrom(table)
    .where('org_id', '=', person.orgId)
    .where('facet', '=', facet)
    .where(sql<boolean>`(at, value) in (values ${sql.join(places)})`)
    .returningAll()
    .execute();
  await addRollupRows(
    writer,
    table,
    taken.map((row) => ({ ...row, value: '' })),
  );
}

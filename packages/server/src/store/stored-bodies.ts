import type { StoredBodiesTable } from './response-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type StoredBodiesRow = StoredBodiesTable;

const ROWS_PER_BATCH = 200;

/** Inserts bodies and ignores those that already exist. Returns the number of inserted bodies. */
export async function insertStoredBodies(
  writer: DatabaseWriter,
  rows: readonly StoredBodiesRow[],
): Promise<number> {
  let inserted = 0;
  for (const row of rows) {
    const { numInsertedOrUpdatedRows = 0n } = await writer
      .insertInto('stored_bodies')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    inserted += Number(numInsertedOrUpdatedRows);
  }
  return inserted;
}

export function findStoredBodies(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<StoredBodiesRow | undefined> {
  return reader
    .selectFrom('stored_bodies')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A time range of stored bodies. */
export interface StoredBodiesRange {
  /** Start of the time range, inclusive, in Unix milliseconds. */
  readonly from: number;
  /** End of the time range, exclusive, in Unix milliseconds. */
  readonly to: number;
}

/**
 * Returns up to `limit` bodies in a time range, newest first. If `before` is given, returns only
 * bodies that are older than this position.
 */
export function listStoredBodies(
  reader: DatabaseReader,
  orgId: string,
  {
    from,
    to,
    limit,
    before,
  }: StoredBodiesRange & {
    readonly limit: number;
    readonly before?: { readonly at: number; readonly id: string } | null;
  },
): Promise<StoredBodiesRow[]> {
  let rows = reader
    .selectFrom('stored_bodies')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  if (before)
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(before.at, before.id)),
    );
  return rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Returns the number of bodies in a time range, counted up to `limit`. */
export async function countStoredBodies(
  reader: DatabaseReader,
  orgId: string,
  { from, to }: StoredBodiesRange,
  limit: number,
): Promise<number> {
  const some = reader
    .selectFrom('stored_bodies')
    .select('id')
    .where('org_id', '=', orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .limit(limit);
  const { count } = await reader
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes one batch of bodies from before `beforeMs`. Returns the number of deleted bodies. */
export async function expireStoredBodies(
  writer: DatabaseWriter,
  orgId: string,
  beforeMs: number,
): Promise<number> {
  const { numDeletedRows } = await writer
    .deleteFrom('stored_bodies')
    .where('id', 'in', (query) =>
      query
        .selectFrom('stored_bodies')
        .select('id')
        .where('org_id', '=', orgId)
        .where('created_at', '<', beforeMs)
        .limit(ROWS_PER_BATCH),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

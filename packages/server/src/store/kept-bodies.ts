import type { KeptBodiesTable } from './body-tables.ts';
import type { Reader, Writer } from './ports.ts';

export type KeptBodiesRow = KeptBodiesTable;

const ROWS_PER_BATCH = 200;

/** Writes bodies; those that are there already stay as they are. Returns how many were new. */
export async function insertKeptBodies(writer: Writer, rows: readonly KeptBodiesRow[]): Promise<number> {
  let inserted = 0;
  for (const row of rows) {
    const { numInsertedOrUpdatedRows = 0n } = await writer
      .insertInto('kept_bodies')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    inserted += Number(numInsertedOrUpdatedRows);
  }
  return inserted;
}

export function keptBodies(reader: Reader, orgId: string, id: string): Promise<KeptBodiesRow | undefined> {
  return reader
    .selectFrom('kept_bodies')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Bodies made in [from, to), the newest first, at most `limit`. */
export function keptBodiesIn(
  reader: Reader,
  orgId: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<KeptBodiesRow[]> {
  return reader
    .selectFrom('kept_bodies')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Removes bodies made before `beforeMs`, one batch of them; returns how many. */
export async function expireKeptBodies(writer: Writer, orgId: string, beforeMs: number): Promise<number> {
  const { numDeletedRows } = await writer
    .deleteFrom('kept_bodies')
    .where('id', 'in', (query) =>
      query
        .selectFrom('kept_bodies')
        .select('id')
        .where('org_id', '=', orgId)
        .where('created_at', '<', beforeMs)
        .limit(ROWS_PER_BATCH),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

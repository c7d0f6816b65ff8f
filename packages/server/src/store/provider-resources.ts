import type { ProviderResourcesTable } from './schema.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type ProviderResourceRow = ProviderResourcesTable;

/** Number of ids in one statement, because engines limit parameters. */
const IDS_PER_QUERY = 500;

/** Stores who owns resources at providers. Ignores resources that are already stored. */
export async function insertProviderResources(
  writer: DatabaseWriter,
  rows: readonly ProviderResourceRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await writer
    .insertInto('provider_resources')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['org_id', 'resource_id', 'provider']).doNothing())
    .execute();
}

/** Returns the stored rows of the provider resources with these ids in an organization. */
export async function listProviderResourcesById(
  reader: DatabaseReader,
  orgId: string,
  ids: readonly string[],
): Promise<ProviderResourceRow[]> {
  const found: ProviderResourceRow[] = [];
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY)
    found.push(
      ...(await reader
        .selectFrom('provider_resources')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('resource_id', 'in', ids.slice(from, from + IDS_PER_QUERY))
        .execute()),
    );
  return found;
}

/** A resource in an organization. */
export interface ProviderResourceKey {
  readonly orgId: string;
  readonly provider: string;
  readonly id: string;
}

/** Returns the number of lines of a resource's results whose usage has been counted; infinite if all of it has. */
export async function getCountedResultLines(
  reader: DatabaseReader,
  { orgId, provider, id }: ProviderResourceKey,
): Promise<number> {
  const row = await reader
    .selectFrom('provider_resources')
    .select('counted')
    .where('org_id', '=', orgId)
    .where('resource_id', '=', id)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row === undefined ? 0 : toLines(row.counted);
}

/**
 * Records that the usage in a resource's results has been counted from line `from` up to line `to`, which is infinite
 * for all results. Returns false if it was counted before, or if the resource is unknown. If another caller has counted
 * only a part of it, that part is counted twice. Otherwise, concurrent reads could prevent the rest from being counted.
 */
export async function markResultLinesCounted(
  writer: DatabaseWriter,
  { orgId, provider, id }: ProviderResourceKey,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  for (let known = from; known < to; ) {
    const { numUpdatedRows } = await writer
      .updateTable('provider_resources')
      .set({ counted: toCounted(to) })
      .where('org_id', '=', orgId)
      .where('resource_id', '=', id)
      .where('provider', '=', provider)
      .where('counted', '=', toCounted(known))
      .executeTakeFirst();
    if (numUpdatedRows === 1n) return true;
    const lines = await getCountedResultLines(writer, { orgId, provider, id });
    if (lines === known) return false;
    known = lines;
  }
  return false;
}

const toCounted = (lines: number): number => (lines === Infinity ? 1 : 0 - lines);
const toLines = (counted: number): number => (counted > 0 ? Infinity : 0 - counted);

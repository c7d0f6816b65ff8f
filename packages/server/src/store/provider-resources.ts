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

/**
 * Records that the usage in a resource's results has been counted. Returns true to exactly one of
 * several concurrent callers.
 */
export async function markProviderResourceUsageCounted(
  writer: DatabaseWriter,
  orgId: string,
  provider: string,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('provider_resources')
    .set({ counted: 1 })
    .where('org_id', '=', orgId)
    .where('resource_id', '=', id)
    .where('provider', '=', provider)
    .where('counted', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

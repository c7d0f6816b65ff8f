import type { DatabaseReader, DatabaseWriter } from './ports.ts';
import type { ProviderResourcesTable } from './schema.ts';

export type ProviderResourceRow = ProviderResourcesTable;

/** Ids asked for in one statement; engines limit their parameters. */
const IDS_PER_QUERY = 500;

/** Writes who made things at providers down; one that is known stays as it is. */
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

/** What is known of these ids in an org. */
export async function findProviderResources(
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

/** Marks the results under an id as counted. Of several at once, exactly one is told `true`. */
export async function markResultsCounted(
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

import { sql } from 'kysely';
import { listMetadataValues } from './rollups/read-metadata-value.ts';
import type { DatabaseWriter, ExchangeRow } from './store-interfaces.ts';

const ENTRIES_PER_STATEMENT = 500;

/**
 * Deletes the metadata index entries of exchanges by their keys. A condition on the time alone would read all entries
 * of the organization, because the index starts with the name and the value.
 */
export async function deleteExchangeMetadata(
  writer: DatabaseWriter,
  orgId: string,
  rows: readonly Pick<ExchangeRow, 'id' | 'created_at' | 'metadata_json'>[],
): Promise<void> {
  const entries = rows.flatMap(({ id, created_at, metadata_json }) =>
    listMetadataValues(metadata_json).map(
      ([name, value]) => sql`(${orgId}, ${name}, ${value}, cast(${created_at} as bigint), ${id})`,
    ),
  );
  for (let at = 0; at < entries.length; at += ENTRIES_PER_STATEMENT)
    await sql`delete from exchange_metadata where (org_id, name, value, created_at, exchange_id) in
      (values ${sql.join(entries.slice(at, at + ENTRIES_PER_STATEMENT))})`.execute(writer);
}

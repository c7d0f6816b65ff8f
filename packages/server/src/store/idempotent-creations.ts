import type { Selectable } from 'kysely';
import type { IdempotentCreationsTable } from './config-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type IdempotentCreationRow = Selectable<IdempotentCreationsTable>;

/** Returns the stored result of the create request with this Idempotency-Key. */
export function findIdempotentCreation(
  reader: DatabaseReader,
  { org_id, verb, idempotency_key }: Pick<IdempotentCreationRow, 'org_id' | 'verb' | 'idempotency_key'>,
  nowMs: number,
): Promise<IdempotentCreationRow | undefined> {
  return reader
    .selectFrom('idempotent_creations')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('verb', '=', verb)
    .where('idempotency_key', '=', idempotency_key)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
}

/** Records the result of a create request by its idempotency key, and deletes expired records. */
export async function storeIdempotentCreation(
  writer: DatabaseWriter,
  row: IdempotentCreationRow,
  nowMs: number,
): Promise<void> {
  await writer.deleteFrom('idempotent_creations').where('expires_at', '<=', nowMs).execute();
  await writer.insertInto('idempotent_creations').values(row).execute();
}

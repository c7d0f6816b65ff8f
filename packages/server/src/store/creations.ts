import type { Selectable } from 'kysely';
import type { CreationsTable } from './config-tables.ts';
import type { Reader, Writer } from './ports.ts';

export type CreationRow = Selectable<CreationsTable>;

/** The creation that came with this Idempotency-Key and is still remembered. */
export function rememberedCreation(
  reader: Reader,
  { org_id, verb, idempotency_key }: Pick<CreationRow, 'org_id' | 'verb' | 'idempotency_key'>,
  nowMs: number,
): Promise<CreationRow | undefined> {
  return reader
    .selectFrom('creations')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('verb', '=', verb)
    .where('idempotency_key', '=', idempotency_key)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
}

/** Remembers a creation, and forgets those whose time is over. */
export async function rememberCreation(writer: Writer, row: CreationRow, nowMs: number): Promise<void> {
  await writer.deleteFrom('creations').where('expires_at', '<=', nowMs).execute();
  await writer.insertInto('creations').values(row).execute();
}

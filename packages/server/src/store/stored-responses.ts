import { sql } from 'kysely';
import type { StoredResponsesTable } from './schema.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type StoredResponseRow = StoredResponsesTable;

/** Selects the stored responses of one key, or of all keys in an organization. */
export interface StoredResponseFilter {
  readonly orgId: string;
  readonly keyId: string | null;
}

/** Maximum number of turns in a conversation. The context of every model is smaller. */
const MAX_CHAIN = 10_000;
const ROWS_PER_BATCH = 500;

export async function insertStoredResponses(
  writer: DatabaseWriter,
  turns: readonly StoredResponseRow[],
): Promise<void> {
  for (const turn of turns)
    await writer
      .insertInto('stored_responses')
      .values(turn)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
}

/** Returns the newest turn with this response id that was created since `sinceMs`. */
export function findStoredResponse(
  reader: DatabaseReader,
  owner: StoredResponseFilter,
  responseId: string,
  sinceMs: number,
): Promise<StoredResponseRow | undefined> {
  let query = reader
    .selectFrom('stored_responses')
    .selectAll()
    .where('org_id', '=', owner.orgId)
    .where('response_id', '=', responseId)
    .where('created_at', '>=', sinceMs);
  if (owner.keyId !== null) query = query.where('key_id', '=', owner.keyId);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/**
 * Returns a turn and its previous turns, newest first. If a turn is missing, the list ends there. If the encrypted turns
 * together have more than `maxBytes`, the list ends after the turn that exceeds it.
 */
export function listStoredConversationTurns(
  reader: DatabaseReader,
  id: string,
  maxBytes: number,
): Promise<StoredResponseRow[]> {
  return reader
    .withRecursive('chain(id, previous_id, depth, bytes)', (query) =>
      query
        .selectFrom('stored_responses')
        .where('id', '=', id)
        .select([
          'id',
          'previous_id',
          sql<number>`0`.as('depth'),
          sql<number>`octet_length(sealed)`.as('bytes'),
        ])
        .unionAll((union) =>
          union
            .selectFrom('stored_responses')
            .innerJoin('chain', 'chain.previous_id', 'stored_responses.id')
            .where('chain.depth', '<', MAX_CHAIN)
            .where('chain.bytes', '<=', maxBytes)
            .select([
              'stored_responses.id',
              'stored_responses.previous_id',
              sql<number>`depth + 1`.as('depth'),
              sql<number>`bytes + octet_length(stored_responses.sealed)`.as('bytes'),
            ]),
        ),
    )
    .selectFrom('chain')
    .innerJoin('stored_responses', 'stored_responses.id', 'chain.id')
    .selectAll('stored_responses')
    .orderBy('chain.depth')
    .execute();
}

/** Replaces a turn's response when a background response ends. */
export async function replaceStoredResponse(
  writer: DatabaseWriter,
  id: string,
  sealed: string,
): Promise<void> {
  await writer.updateTable('stored_responses').set({ sealed }).where('id', '=', id).execute();
}

/** Deletes all turns with this response id. Returns false if there were none. */
export async function deleteStoredResponses(
  writer: DatabaseWriter,
  owner: StoredResponseFilter,
  responseId: string,
): Promise<boolean> {
  let query = writer
    .deleteFrom('stored_responses')
    .where('org_id', '=', owner.orgId)
    .where('response_id', '=', responseId);
  if (owner.keyId !== null) query = query.where('key_id', '=', owner.keyId);
  const { numDeletedRows } = await query.executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Deletes one batch of turns from before `beforeMs` that no other turn refers to. A turn is
 * therefore deleted only after all later turns in its conversation. Returns the number of deleted
 * turns.
 */
export async function expireStoredResponses(
  writer: DatabaseWriter,
  orgId: string,
  beforeMs: number,
): Promise<number> {
  const { numDeletedRows } = await writer
    .deleteFrom('stored_responses')
    .where('id', 'in', (query) =>
      query
        .selectFrom('stored_responses as old')
        .select('old.id')
        .where('old.org_id', '=', orgId)
        .where('old.created_at', '<', beforeMs)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('stored_responses as later')
                .select('later.id')
                .whereRef('later.previous_id', '=', 'old.id'),
            ),
          ),
        )
        .limit(ROWS_PER_BATCH),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

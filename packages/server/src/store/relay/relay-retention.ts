import { sql } from 'kysely';
import { ROWS_PER_DELETION_BATCH, runDeletionBatches } from '../deletion-batches.ts';
import type { Database } from '../store-interfaces.ts';

/** Deletes an organization's decisions, reports, approvals and sessions from before the given time. */
export async function expireRelayHistory(
  database: Pick<Database, 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<void> {
  for (const table of ['relay_decisions', 'relay_reports', 'relay_approvals'] as const)
    await runDeletionBatches(() => expireBatch(database, table, orgId, beforeMs));
  await runDeletionBatches(() => expireSessionBatch(database, orgId, beforeMs));
}

function expireSessionBatch(
  database: Pick<Database, 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<number> {
  return database.transaction(async (writer) => {
    const { numAffectedRows = 0n } = await sql`delete from relay_sessions
      where org_id = ${orgId} and (session_id, key_id) in (
        select session_id, key_id from relay_sessions
        where org_id = ${orgId} and last_seen_at < ${beforeMs} limit ${ROWS_PER_DELETION_BATCH})`.execute(
      writer,
    );
    return Number(numAffectedRows);
  });
}

function expireBatch(
  database: Pick<Database, 'transaction'>,
  table: 'relay_decisions' | 'relay_reports' | 'relay_approvals',
  orgId: string,
  beforeMs: number,
): Promise<number> {
  return database.transaction(async (writer) => {
    const rows = await writer
      .selectFrom(table)
      .select('id')
      .where('org_id', '=', orgId)
      .where('created_at', '<', beforeMs)
      .orderBy('created_at')
      .limit(ROWS_PER_DELETION_BATCH)
      .execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0)
      await writer.deleteFrom(table).where('org_id', '=', orgId).where('id', 'in', ids).execute();
    return ids.length;
  });
}

import { sql } from 'kysely';
import { expireAlerts } from './alerts.ts';
import { ROWS_PER_DELETION_BATCH, runDeletionBatches } from './deletion-batches.ts';
import { expireRelayHistory } from './relay/relay-retention.ts';
import { expireRollups } from './rollups/expire-rollups.ts';
import { MINUTE_MS } from './rollups/rollup-accumulator.ts';
import { storeSetting } from './settings.ts';
import type { Database, DatabaseWriter } from './store-interfaces.ts';
import { expireStoredBodies } from './stored-bodies.ts';
import { expireStoredResponses } from './stored-responses.ts';

/**
 * How long per-minute rollups are kept, in milliseconds. Charts of recent days need them. Older minutes are
 * merged into quarter hours.
 */
export const MINUTE_ROLLUP_RETENTION_MS = 3 * 24 * 60 * MINUTE_MS;

/**
 * Deletes exchanges from before `beforeMs` in batches. Returns the number of deleted rows. For an engine
 * without partitions.
 */
export async function expireExchangesInBatches(
  database: Pick<Database, 'read' | 'transaction'>,
  beforeMs: number,
): Promise<number> {
  const orgs = await database.read.selectFrom('orgs').select('id').execute();
  let removed = 0;
  for (const { id } of orgs) {
    removed += await runDeletionBatches(() =>
      database.transaction((writer) => deleteExchangeBatch(writer, id, beforeMs)),
    );
    await runDeletionBatches(() =>
      database.transaction((writer) => deleteMetadataBatch(writer, id, beforeMs)),
    );
  }
  return removed;
}

/**
 * Merges old per-minute rollups, and deletes expired audit entries, rollups, breaker changes, relay records, budget
 * counters, stored responses and bodies. Does not delete exchanges, because each database engine deletes them in
 * its own way.
 */
export async function expireHistoryExceptExchanges(
  database: Pick<Database, 'read' | 'transaction'>,
  before: {
    readonly requestsMs: number;
    readonly auditMs: number;
    readonly responsesMs: number;
    readonly bodiesMs: number;
    readonly nowMs: number;
  },
): Promise<void> {
  const { requestsMs } = before;
  const minutesMs = before.nowMs - MINUTE_ROLLUP_RETENTION_MS;
  for (const { id } of await database.read.selectFrom('orgs').select('id').execute()) {
    await expireRelayHistory(database, id, requestsMs);
    await expireStoredResponseChains(database, id, before.responsesMs);
    await expireBodies(database, id, before.bodiesMs);
    await expireRollups(database, id, { requestsMs, minutesMs });
    // The trigger of the table permits the deletion of older entries only.
    await database.transaction((writer) =>
      storeSetting(writer, 'audit_kept_from', String(Math.trunc(before.auditMs))),
    );
    await expireAuditEntries(database, id, before.auditMs);
    await expireBreakerChanges(database, id, requestsMs);
    await database.transaction((writer) =>
      writer
        .deleteFrom('budget_spend')
        .where('org_id', '=', id)
        .where('ends_at', '>', 0)
        .where('ends_at', '<', requestsMs)
        .execute(),
    );
  }
}

/**
 * Deletes an organization's audit entries from before `beforeMs`, in batches, so that other writes can run in between.
 * Deletes from the start of the chain only, because a gap would look like tampering: an entry that was written before
 * the clock was set back stays until all earlier ones have expired. Keeps the last entry, because the chain continues
 * from it.
 */
export async function expireAuditEntries(
  database: Pick<Database, 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<void> {
  await runDeletionBatches(() =>
    database.transaction(async (writer) => {
      const ofOrg = writer.selectFrom('audit').where('org_id', '=', orgId);
      const oldest = await ofOrg
        .select(['id', 'at'])
        .orderBy('seq')
        .limit(ROWS_PER_DELETION_BATCH + 1)
        .execute();
      const kept = oldest.findIndex(({ at }) => at >= beforeMs);
      const expired = oldest.slice(0, kept === -1 ? -1 : kept).map(({ id }) => id);
      if (expired.length > 0) await writer.deleteFrom('audit').where('id', 'in', expired).execute();
      return expired.length;
    }),
  );
}

async function expireBreakerChanges(
  database: Pick<Database, 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<void> {
  await runDeletionBatches(() =>
    database.transaction(async (writer) => {
      const old = writer
        .selectFrom('breaker_changes')
        .select('id')
        .where('org_id', '=', orgId)
        .where('at', '<', beforeMs)
        .orderBy('at')
        .limit(ROWS_PER_DELETION_BATCH);
      const { numDeletedRows } = await writer
        .deleteFrom('breaker_changes')
        .where('id', 'in', old)
        .executeTakeFirst();
      return Number(numDeletedRows);
    }),
  );
}

/**
 * Deletes the stored responses of conversations from the last turn to the first, because a turn can be
 * deleted only when no later one refers to it.
 */
async function expireStoredResponseChains(
  database: Pick<Database, 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<void> {
  for (;;)
    if ((await database.transaction((writer) => expireStoredResponses(writer, orgId, beforeMs))) === 0)
      return;
}

async function expireBodies(
  database: Pick<Database, 'transaction'>,
  orgId: string,
  beforeMs: number,
): Promise<void> {
  for (;;)
    if ((await database.transaction((writer) => expireStoredBodies(writer, orgId, beforeMs))) === 0) return;
}

/** Deletes closed alerts from before `beforeMs`, with their deliveries. */
export async function expireAlertsInBatches(
  database: Pick<Database, 'read' | 'transaction'>,
  beforeMs: number,
): Promise<void> {
  for (const { id } of await database.read.selectFrom('orgs').select('id').execute())
    await runDeletionBatches(() => database.transaction((writer) => expireAlerts(writer, id, beforeMs)));
}

async function deleteExchangeBatch(writer: DatabaseWriter, orgId: string, beforeMs: number): Promise<number> {
  const { numDeletedRows } = await writer
    .deleteFrom('exchanges')
    .where('id', 'in', (query) =>
      query
        .selectFrom('exchanges')
        .select('id')
        .where('org_id', '=', orgId)
        .where('created_at', '<', beforeMs)
        .limit(ROWS_PER_DELETION_BATCH),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function deleteMetadataBatch(writer: DatabaseWriter, orgId: string, beforeMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from exchange_metadata where (org_id, name, value, created_at, exchange_id) in (
      select org_id, name, value, created_at, exchange_id from exchange_metadata
      where org_id = ${orgId} and created_at < ${beforeMs} limit ${ROWS_PER_DELETION_BATCH})`.execute(writer);
  return Number(numAffectedRows);
}

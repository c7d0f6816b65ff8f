import { expireAlerts } from './alerts.ts';
import { getDatabaseEngine } from './database-engine.ts';
import {
  RetentionStopped,
  ROWS_PER_DELETION_BATCH,
  runAllSteps,
  runDeletionBatches,
} from './deletion-batches.ts';
import { deleteExchangeMetadata } from './exchange-metadata.ts';
import { readDatabaseTime } from './monitoring/monitoring-liveness.ts';
import { expireRelayHistory } from './relay/relay-retention.ts';
import { expireRollups } from './rollups/expire-rollups.ts';
import { MINUTE_MS } from './rollups/rollup-accumulator.ts';
import { raiseRetentionStart } from './settings.ts';
import type { Database, DatabaseReader, DatabaseWriter } from './store-interfaces.ts';
import { expireStoredBodies } from './stored-bodies.ts';
import { expireStoredResponses } from './stored-responses.ts';

/**
 * How long per-minute rollups are kept, in milliseconds. Charts of recent days need them. Older minutes are
 * merged into quarter hours.
 */
export const MINUTE_ROLLUP_RETENTION_MS = 3 * 24 * 60 * MINUTE_MS;

/**
 * Deletes exchanges from before `beforeMs` in batches. Returns whether there were any. For an engine
 * without partitions.
 */
export async function expireExchangesInBatches(
  database: Pick<Database, 'read' | 'transaction'>,
  beforeMs: number,
): Promise<boolean> {
  let removed = 0;
  await runForEachOrg(database.read, (id) => [
    async () => {
      removed += await runDeletionBatches(() =>
        database.transaction((writer) => deleteExchangeBatch(writer, id, beforeMs)),
      );
    },
  ]);
  return removed > 0;
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
  await runForEachOrg(database.read, (id) => [
    () => expireRelayHistory(database, id, requestsMs),
    () => expireStoredResponseChains(database, id, before.responsesMs),
    () => expireBodies(database, id, before.bodiesMs),
    () => expireRollups(database, id, { requestsMs, minutesMs }),
    async () => {
      // The trigger of the table permits the deletion of older entries only.
      await database.transaction((writer) =>
        raiseRetentionStart(writer, 'audit_kept_from', { startMs: before.auditMs, nowMs: before.nowMs }),
      );
      await expireAuditEntries(database, id, before.auditMs);
    },
    () => expireBreakerChanges(database, id, requestsMs),
    () =>
      database.transaction((writer) =>
        writer
          .deleteFrom('budget_spend')
          .where('org_id', '=', id)
          .where('ends_at', '>', 0)
          .where('ends_at', '<', requestsMs)
          .execute(),
      ),
  ]);
}

/** Runs steps for each organization, as `runAllSteps` does. The errors name the organization. */
async function runForEachOrg(
  reader: DatabaseReader,
  steps: (orgId: string) => readonly (() => Promise<unknown>)[],
): Promise<void> {
  const orgs = await reader.selectFrom('orgs').select('id').execute();
  await runAllSteps(orgs.flatMap(({ id }) => steps(id).map((step) => () => nameOrgInErrors(id, step))));
}

async function nameOrgInErrors(orgId: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (error instanceof RetentionStopped) throw error;
    throw new Error(`organization ${orgId}: ${error}`, { cause: error });
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
  await runForEachOrg(database.read, (id) => [
    () => runDeletionBatches(() => database.transaction((writer) => expireAlerts(writer, id, beforeMs))),
  ]);
}

async function deleteExchangeBatch(writer: DatabaseWriter, orgId: string, beforeMs: number): Promise<number> {
  const rows = await writer
    .selectFrom('exchanges')
    .select(['id', 'created_at', 'metadata_json'])
    .where('org_id', '=', orgId)
    .where('created_at', '<', beforeMs)
    .limit(ROWS_PER_DELETION_BATCH)
    .execute();
  if (rows.length === 0) return 0;
  await deleteExchangeMetadata(writer, orgId, rows);
  const ids = rows.map(({ id }) => id);
  await writer.deleteFrom('exchanges').where('id', 'in', ids).execute();
  return rows.length;
}

/**
 * Returns the earlier one of a local time and the time of the database server: a process whose clock is ahead must not
 * delete data that the others keep. SQLite has no clock of its own.
 */
export async function limitToDatabaseTime(reader: DatabaseReader, localMs: number): Promise<number> {
  return getDatabaseEngine(reader) === 'postgres'
    ? Math.min(localMs, await readDatabaseTime(reader))
    : localMs;
}

import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Operation } from '../../management/operation.ts';
import type { Actor } from '../../platform/actor.ts';
import { getDatabaseEngine } from '../../store/database-engine.ts';
import type { Database, DatabaseWriter } from '../../store/store-interfaces.ts';

/** Operations that may write without an audit entry, with reasons. */
const UNAUDITED_OPERATIONS: Readonly<Record<string, string>> = {
  'me.update': 'what the console remembers for a person changes by the minute',
};

/**
 * Returns the operations, wrapped so that each must write an audit entry for its changes, with the
 * origin of the request. SQLite counts the changed rows.
 */
export function requireAuditEntries(
  operations: readonly Operation[],
  { read }: Database,
): readonly Operation[] {
  if (getDatabaseEngine(read) !== 'sqlite') return operations;
  return operations.map((operation) => {
    if (operation.readAnswer !== null || Object.hasOwn(UNAUDITED_OPERATIONS, operation.name))
      return operation;
    return {
      ...operation,
      perform: (host, actor, input, of) =>
        operation.perform(
          { ...host, database: checkAuditEntries(host.database, operation.name, actor) },
          actor,
          input,
          of,
        ),
    };
  });
}

function checkAuditEntries(database: Database, name: string, actor: Actor): Database {
  return {
    isShared: database.isShared,
    isRemote: database.isRemote,
    signals: database.signals,
    read: database.read,
    transaction: (work) =>
      database.transaction(async (writer) => {
        const before = await countAuditEntries(writer);
        const result = await work(writer);
        const after = await countAuditEntries(writer);
        assert.ok(
          after.changes === before.changes || after.entries > before.entries,
          `${name} wrote, and left no entry in the audit log`,
        );
        await requireEntrySource(writer, before.entries, name, actor);
        return result;
      }),
    rowTransaction: (work) => database.rowTransaction(work),
    ping: () => database.ping(),
    ingest: (region) => database.ingest(region),
    expireExchanges: (beforeMs) => database.expireExchanges(beforeMs),
    close: () => database.close(),
  };
}

/** The entry must contain the origin of the request. */
async function requireEntrySource(
  writer: DatabaseWriter,
  after: number,
  name: string,
  actor: Actor,
): Promise<void> {
  const { rows } = await sql<{ ip_address: string | null; session_id: string | null }>`
    select ip_address, session_id from audit where rowid > ${after}`.execute(writer);
  for (const { ip_address, session_id } of rows) {
    assert.equal(ip_address, actor.address ?? null, `an entry of ${name} says another address`);
    assert.equal(session_id, actor.member?.sessionId ?? null, `an entry of ${name} says another session`);
  }
}

async function countAuditEntries(
  writer: DatabaseWriter,
): Promise<{ readonly changes: number; readonly entries: number }> {
  const { rows } = await sql<{ changes: number; entries: number }>`
    select total_changes() as changes, coalesce(max(rowid), 0) as entries from audit`.execute(writer);
  const [row] = rows;
  assert.ok(row);
  return row;
}

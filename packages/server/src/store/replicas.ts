import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../core/clock.ts';
import { FatalError } from '../core/fatal-error.ts';
import type { Log } from '../core/log.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import type { ReplicaPosition } from './counters/replica-position.ts';
import { readMigrationHistory } from './migrations/migration-history.ts';
import { getNewestMigrationNumber } from './migrations/migration-list.ts';
import { planMigrations } from './migrations/plan-migrations.ts';
import type { Database, DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

const RENEW_MS = 5_000;
const LEASE_MS = 15_000;

/** The registration of this process as one that uses a database. The process renews it regularly. */
export interface ReplicaRegistration {
  /** Returns the rank as it was last read from the database. Does not wait. */
  getRank(): ReplicaPosition;
  close(): Promise<void>;
}

const RENEWAL_MESSAGES = {
  failed:
    'could not renew the lease of this process; retrying; if the lease expires, other processes no longer count this process when they divide limits',
  recovered: 'lease of this process was renewed',
};

/**
 * Registers this process in a database. Does nothing if no other process can use the database. Calls `onUnusable` if the
 * lease of this process expired (for example because the process was paused) and a newer release has migrated
 * the database in the meantime. The process must then end, because migrations no longer take it into account.
 * @throws FatalError if a newer release has migrated the database since this process opened it, and
 * this release does not work with it
 */
export async function registerReplica(
  database: Pick<Database, 'isShared' | 'transaction' | 'read' | 'signals'>,
  clock: Clock,
  log: Log,
  onUnusable: (error: FatalError) => void,
): Promise<ReplicaRegistration> {
  const id = randomUUID();
  if (!database.isShared) return { getRank: () => SINGLE_REPLICA, close: async () => undefined };
  const renewal = new RepeatedFailureLog(log, clock, RENEWAL_MESSAGES);
  let known = SINGLE_REPLICA;
  let timer: Timer | null = null;
  let closed = false;
  async function renew(isNew: boolean): Promise<void> {
    try {
      known = await database.transaction(async (writer) => {
        if (isNew || !(await hasLease(writer, id))) {
          planMigrations(await readMigrationHistory(writer));
          // Notifies the others immediately, because their share of a limit is now smaller.
          await database.signals.announce(writer);
        }
        return renewReplicaLease(writer, id, clock.now());
      });
      renewal.succeed();
    } catch (error) {
      if (error instanceof FatalError) throw error;
      renewal.fail(error);
    }
  }
  function renewLater(): void {
    timer = clock.after(RENEW_MS, () => {
      // Only an unusable database rejects.
      renew(false).then(() => closed || renewLater(), onUnusable);
    });
  }
  database.signals.onChange(() => {
    findReplicaRank(database.read, id).then(
      (place) => {
        known = place;
      },
      () => undefined,
    );
  });
  await renew(true);
  renewLater();
  return {
    getRank: () => known,
    async close() {
      closed = true;
      timer?.cancel();
      await database
        .transaction(async (writer) => {
          await writer.deleteFrom('replicas').where('id', '=', id).execute();
        })
        .catch((error: unknown) =>
          log.warn({ err: error }, 'lease of this process could not be released; it expires within 15 s'),
        );
    },
  };
}

async function hasLease(reader: DatabaseReader, id: string): Promise<boolean> {
  const row = await reader.selectFrom('replicas').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

const SINGLE_REPLICA: ReplicaPosition = { replicaCount: 1, rank: 0 };

/**
 * Renews this process's entry, deletes expired entries, and returns this process's position among
 * the remaining ones.
 */
export async function renewReplicaLease(
  writer: DatabaseWriter,
  id: string,
  nowMs: number,
): Promise<ReplicaPosition> {
  await writer
    .insertInto('replicas')
    .values({ id, seen_at: nowMs, newest_migration: getNewestMigrationNumber() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: nowMs }))
    .execute();
  await writer
    .deleteFrom('replicas')
    .where('seen_at', '<', nowMs - LEASE_MS)
    .execute();
  return findReplicaRank(writer, id);
}

async function findReplicaRank(reader: DatabaseReader, id: string): Promise<ReplicaPosition> {
  const rows = await reader.selectFrom('replicas').select('id').execute();
  const ids = rows.map((row) => row.id).filter((other) => other !== id);
  // The lease of this process expired because it was blocked. It still counts as one more.
  return { replicaCount: ids.length + 1, rank: ids.filter((other) => other < id).length };
}

/** A process that uses a database, or did so less than 15 seconds ago. */
export interface RunningProcess {
  /** The newest migration that the release of the process has. */
  readonly newestMigration: number;
}

/** Returns the registered processes that use a database. A single process on SQLite is not registered. */
export async function listRunningProcesses(
  reader: Pick<DatabaseReader, 'selectFrom'>,
  nowMs: number,
): Promise<readonly RunningProcess[]> {
  // All columns, because an older database does not have the newest one.
  const rows = await reader
    .selectFrom('replicas')
    .selectAll()
    .where('seen_at', '>=', nowMs - LEASE_MS)
    .execute();
  return rows.map((row) => ({ newestMigration: row.newest_migration ?? 1 }));
}

/** Returns how many of these processes do not have the migration `compatibleFrom`. */
export function countOlderProcesses(processes: readonly RunningProcess[], compatibleFrom: number): number {
  return processes.filter(({ newestMigration }) => newestMigration < compatibleFrom).length;
}

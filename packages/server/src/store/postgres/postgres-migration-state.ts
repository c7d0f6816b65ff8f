import { Kysely, PostgresDialect } from 'kysely';
import { FatalError } from '../../core/fatal-error.ts';
import { silentLog } from '../../core/log.ts';
import { type AppliedMigration, readMigrationHistory } from '../migrations/migration-history.ts';
import { listRunningProcesses, type RunningProcess } from '../replicas.ts';
import type { DatabaseSchema } from '../schema.ts';
import { createPostgresPool } from './postgres-pool.ts';

/**
 * The migrations that were applied to a PostgreSQL database, and the Floe processes that use it. They
 * determine what a migration may do.
 */
export interface PostgresMigrationState {
  /** The applied migrations. Empty for an empty database. */
  readonly applied: readonly AppliedMigration[];
  readonly processes: readonly RunningProcess[];
}

/**
 * Reads the applied migrations and the running processes of a PostgreSQL database. Changes nothing.
 * @throws FatalError if the database cannot be read
 */
export async function readPostgresMigrationState(
  url: string,
  nowMs: number,
): Promise<PostgresMigrationState> {
  const pool = createPostgresPool({ url, log: silentLog, connections: 1, statementTimeoutMs: null });
  try {
    const found = await pool.withConnection((connection) =>
      connection.query<{ name: string | null }>(`select to_regclass('migrations')::text as name`, []),
    );
    if (found.rows[0]?.name == null) return { applied: [], processes: [] };
    const reader = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) });
    const applied = await readMigrationHistory(reader);
    const processes = applied.length === 0 ? [] : await listRunningProcesses(reader, nowMs);
    return { applied, processes };
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new FatalError(
      `Cannot use the database: ${reason}. Check storage.database (or FLOE_DATABASE_URL).`,
      { cause },
    );
  } finally {
    await pool.end();
  }
}

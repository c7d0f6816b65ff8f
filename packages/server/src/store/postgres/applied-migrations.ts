import { silentLog } from '../../core/log.ts';
import type { AppliedMigration } from '../migrations/plan-migrations.ts';
import { StoreUnusableError } from '../store-unusable-error.ts';
import { createPostgresPool } from './postgres-pool.ts';

/**
 * Returns the migrations that were applied to a PostgreSQL database. Returns an empty list for an
 * empty database. Changes nothing.
 */
export async function readAppliedPostgresMigrations(url: string): Promise<readonly AppliedMigration[]> {
  const pool = createPostgresPool({ url, log: silentLog, connections: 1, statementTimeoutMs: null });
  try {
    return await pool.withConnection(async (connection) => {
      const found = await connection.query<{ name: string | null }>(
        `select to_regclass('migrations')::text as name`,
        [],
      );
      if (found.rows[0]?.name == null) return [];
      const { rows } = await connection.query<AppliedMigration>('select number, name from migrations', []);
      return rows;
    });
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new StoreUnusableError(`Cannot use the database: ${reason}`, { cause });
  } finally {
    await pool.end();
  }
}

import { silentLog } from '../../core/log.ts';
import type { AppliedMigration } from '../migrations/plan.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { createPool } from './pool.ts';

/** Migrations of a PostgreSQL database, none for an empty one; changes nothing. */
export async function appliedOnPostgres(url: string): Promise<readonly AppliedMigration[]> {
  const pool = createPool({ url, log: silentLog, connections: 1, statementTimeoutMs: null });
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
    throw new StoreUnusable(`Cannot use the database: ${reason}`, { cause });
  } finally {
    await pool.end();
  }
}

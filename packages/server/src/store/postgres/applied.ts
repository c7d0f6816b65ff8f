import { silentLog } from '../../core/log.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { createPool } from './pool.ts';

/** Number of the newest migration of a PostgreSQL database, 0 for an empty one; changes nothing. */
export async function appliedOnPostgres(url: string): Promise<number> {
  const pool = createPool({ url, log: silentLog, connections: 1, statementTimeoutMs: null });
  try {
    return await pool.withConnection(async (connection) => {
      const found = await connection.query<{ name: string | null }>(
        `select to_regclass('migrations')::text as name`,
        [],
      );
      if (found.rows[0]?.name == null) return 0;
      const { rows } = await connection.query<{ newest: number | null }>(
        'select max(number) as newest from migrations',
        [],
      );
      return rows[0]?.newest ?? 0;
    });
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new StoreUnusable(`Cannot use the database: ${reason}`, { cause });
  } finally {
    await pool.end();
  }
}

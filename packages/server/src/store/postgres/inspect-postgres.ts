import type { Clock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import { silentLog } from '../../core/log.ts';
import { measureFastestResponse, type StoreInspection } from '../store-inspection.ts';
import { createPostgresPool } from './postgres-pool.ts';

const STATEMENT_TIMEOUT_MS = 5_000;
const INSPECTION_SQL = `select current_setting('server_version') as version,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`;

/**
 * Connects to a PostgreSQL server once and reports its state. Changes nothing.
 * @throws FatalError if the server cannot be reached or rejects the connection
 */
export async function inspectPostgres(url: string, clock: Clock): Promise<StoreInspection> {
  const pool = createPostgresPool({
    url,
    log: silentLog,
    connections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    return await pool.withConnection(async (connection) => {
      const ask = () => connection.query<{ version: string; now: number }>(INSPECTION_SQL, []);
      const { result, latencyMs, atMs } = await measureFastestResponse(ask, clock);
      const [row] = result.rows;
      const nowMs = row?.now ?? 0;
      return {
        version: `PostgreSQL ${row?.version ?? ''}`,
        latencyMs,
        clockOffsetMs: nowMs - atMs,
        evictionPolicy: null,
      };
    });
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

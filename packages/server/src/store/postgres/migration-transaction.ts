import { sql, type Transaction } from 'kysely';
import { type Clock, sleep } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import type { Log } from '../../core/log.ts';
import type { DatabaseSchema } from '../schema.ts';
import { getPostgresErrorCode } from './postgres-errors.ts';

/**
 * How long a migration waits for a table lock. Other statements on the table wait behind it. The time is
 * shorter than the `deadlock_timeout` of PostgreSQL (1 s), so that a deadlock ends the migration and not a
 * request.
 */
const LOCK_TIMEOUT_MS = 500;
/** Time between attempts, in which waiting statements can run. */
const RETRY_MS = 1_000;
/**
 * Time after which the migration fails. It is longer than any statement or transaction of a running process.
 */
const GIVE_UP_MS = 120_000;

/** The SQLSTATE codes of lock_not_available and deadlock_detected. */
const LOCK_ERRORS: ReadonlySet<string | null> = new Set(['55P03', '40P01']);

type Work<T> = (writer: Transaction<DatabaseSchema>) => Promise<T>;

/**
 * Runs a transaction that changes tables that are in use. If it cannot lock a table, it is rolled back and
 * repeated for up to two minutes.
 * @param run starts a transaction, and may wait for its turn as long as necessary
 * @throws FatalError if a table stays locked
 */
export async function runMigrationTransaction<T>(
  run: (work: Work<T>) => Promise<T>,
  work: Work<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<T> {
  const until = clock.monotonic() + GIVE_UP_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(async (writer) => {
        await sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`).execute(writer);
        return work(writer);
      });
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      if (!LOCK_ERRORS.has(getPostgresErrorCode(cause))) throw error;
      if (clock.monotonic() >= until)
        throw new FatalError(
          `A migration could not lock a table within ${GIVE_UP_MS / 1000} seconds and was rolled back. Find the transaction that holds the lock (select * from pg_stat_activity where xact_start < now() - interval '1 minute'), end it, and try again.`,
          { cause: error },
        );
      if (attempt === 1) log.info({}, 'migration is waiting for a table that is in use');
    }
    await sleep(clock, RETRY_MS);
  }
}

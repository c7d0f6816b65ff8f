import { sql } from 'kysely';
import { getDatabaseEngine } from './database-engine.ts';
import type { DatabaseWriter } from './store-interfaces.ts';

const MAX_PAUSE_MS = 600_000;

/**
 * Allows a transaction to pause, for example while it reads a large table of another database. PostgreSQL ends other
 * transactions that pause.
 */
export async function allowTransactionPauses(writer: DatabaseWriter): Promise<void> {
  if (getDatabaseEngine(writer) === 'postgres')
    await sql`set local idle_in_transaction_session_timeout = ${sql.lit(MAX_PAUSE_MS)}`.execute(writer);
}

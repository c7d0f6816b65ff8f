import { PostgresAdapter, type QueryExecutor } from 'kysely';

export type DatabaseEngine = 'sqlite' | 'postgres';

/** The engine of a reader or a transaction. Only for the store, whose SQL differs per engine. */
export function getDatabaseEngine(queries: { getExecutor(): QueryExecutor }): DatabaseEngine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

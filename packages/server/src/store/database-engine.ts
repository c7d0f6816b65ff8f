import { PostgresAdapter, type QueryExecutor } from 'kysely';

export type DatabaseEngine = 'sqlite' | 'postgres';

/**
 * Returns the database engine of a reader or a transaction. Only for code in the store, whose SQL differs by
 * engine.
 */
export function getDatabaseEngine(queries: { getExecutor(): QueryExecutor }): DatabaseEngine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

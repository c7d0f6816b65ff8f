import { PostgresAdapter, type QueryExecutor } from 'kysely';

export type DatabaseEngine = 'sqlite' | 'postgres';

/**
 * Returns the database engine of a reader or a transaction. Only the store uses it, because its SQL
 * differs by engine.
 */
export function getDatabaseEngine(queries: { getExecutor(): QueryExecutor }): DatabaseEngine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

import { PostgresAdapter, type QueryExecutor } from 'kysely';

export type DatabaseEngine = 'sqlite' | 'postgres';

/** The engine that statements of a reader or a transaction run on: for the store alone, whose SQL differs. */
export function databaseEngineOf(queries: { getExecutor(): QueryExecutor }): DatabaseEngine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

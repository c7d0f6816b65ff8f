import { PostgresAdapter, type QueryExecutor } from 'kysely';

export type Engine = 'sqlite' | 'postgres';

/** The engine that statements of a reader or a transaction run on: for the store alone, whose SQL differs. */
export function engineOf(queries: { getExecutor(): QueryExecutor }): Engine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

import type { Kysely, Transaction } from 'kysely';
import type { ExchangesTable, Schema } from './schema.ts';

export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'fn'>;
export type Writer = Transaction<Schema>;

/** One relational store. SQLite and PostgreSQL pass the same suite. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** Queries that change nothing; they never wait for a writer. */
  readonly read: Reader;
  /** Runs `work` in one serialised write transaction; commits when it resolves, rolls back when it throws. */
  transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Resolves when the store answers; rejects when it does not. For `/readyz`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type ExchangeRow = ExchangesTable;

/** Where exchange rows go: on disk within 10 ms, in the database when it is there. Never blocks. */
export interface RowSink {
  append(row: ExchangeRow): void;
  /** Rows on disk that the database has not taken yet. */
  backlog(): number;
  /** Resolves when everything appended so far is in the database, or rejects after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

import type { Kysely, Transaction } from 'kysely';
import type { ExchangesTable, Schema } from './schema.ts';

export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'withRecursive' | 'fn'>;
export type Writer = Transaction<Schema>;

export type Engine = 'sqlite' | 'postgres';

/** One relational store. SQLite and PostgreSQL pass the same suite. */
export interface Database {
  readonly engine: Engine;
  /** Word of changes to what snapshots hold, from every process on this store. */
  readonly signals: Signals;
  /** Queries that change nothing; they never wait for a writer. */
  readonly read: Reader;
  /** Runs `work` in one serialised write transaction; commits when it resolves, rolls back when it throws. */
  transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /** Resolves when the store answers; rejects when it does not. For `/readyz`. */
  ping(): Promise<void>;
  /**
   * Takes rows of the spool into `exchanges` and counts them in the rollups: one transaction, and a row
   * whose id is there already changes nothing. Waits its turn among the transactions.
   */
  ingest(region: SpoolRegion): Promise<Ingested>;
  /** Removes exchanges made before `beforeMs` (PostgreSQL: the days that are over by then); returns how many. */
  expire(beforeMs: number): Promise<number>;
  close(): Promise<void>;
}

/** How processes on one store learn that a snapshot is stale, within 2 seconds of the commit. */
export interface Signals {
  /** Belongs in the transaction of a change: it is told when, and only if, that commits. */
  announce(writer: Writer): Promise<void>;
  /** Calls `stale` after a change that any process announced, this one too; once for several at once. */
  onChange(stale: () => void): void;
}

/** Bytes `from` to `to` of a spool file; the database takes the whole lines among them. */
export interface SpoolRegion {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Nothing follows `to`: what stands after the last line break is a line too, or a torn one. */
  readonly last: boolean;
}

export interface Ingested {
  /** Where the next region starts; `from` when there was no whole line. */
  readonly next: number;
  /** Rows new to the database. */
  readonly inserted: number;
  /** Rows the database had already. */
  readonly known: number;
  /** Lines that are no row, or that the table refuses. */
  readonly rejected: readonly string[];
  /** The file's last line was cut off, as a dying process leaves it. */
  readonly torn: boolean;
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

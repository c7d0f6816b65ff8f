import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { SqliteValue, SqliteWorkerResult, SqliteWorkerRole } from './worker-protocol.ts';

/**
 * Maximum number of prepared statements. Kysely creates one text per form of a query, but `in (…)` lists have
 * many lengths.
 */
const MAX_CACHED_STATEMENTS = 256;

/** How long a statement waits for another program that uses the file, such as a backup or a shell. */
const BUSY_TIMEOUT_MS = 5000;

/** The result of a worker request that returns no data. */
export const EMPTY_SQLITE_WORKER_RESULT: SqliteWorkerResult = {
  rows: [],
  changes: 0,
  ingested: null,
  kept: null,
};

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  /** Whether the statement changes no rows, so that it can be repeated. */
  readonly isQuery: boolean;
}

/** One SQLite connection in a worker thread. Every method blocks this thread. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #role: SqliteWorkerRole;
  readonly #statements = new Map<string, Prepared>();

  constructor(path: string, role: SqliteWorkerRole) {
    this.#role = role;
    this.#database = new DatabaseSync(path, { readOnly: role === 'reader', timeout: BUSY_TIMEOUT_MS });
    if (role === 'writer') this.#database.exec('pragma journal_mode = wal');
    // Pages that many transactions change are written back once (16 MB of log instead of 4).
    if (role === 'writer') this.#database.exec('pragma wal_autocheckpoint = 4000');
    // Otherwise, the file keeps the content of deleted rows, even after the data of a person is erased.
    if (role === 'writer') this.#database.exec('pragma secure_delete = on');
    // FULL: each commit is on disk before its response (decisions/0010-sqlite-store-in-two-threads.md).
    this.#database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory');
    this.#database.prepare('select count(*) from sqlite_schema').get();
  }

  query(sql: string, parameters: readonly SqliteValue[]): SqliteWorkerResult {
    // SQLite ends a transaction on some errors (disk full, I/O). Without this check, the remaining
    // statements would each be committed.
    if (this.#role === 'writer' && !this.#database.isTransaction)
      throw new Error('The transaction has already been rolled back');
    const prepared = this.prepare(sql);
    const { statement } = prepared;
    if (prepared.returnsRows) return { ...EMPTY_SQLITE_WORKER_RESULT, rows: readRows(prepared, parameters) };
    return { ...EMPTY_SQLITE_WORKER_RESULT, changes: Number(statement.run(...parameters).changes) };
  }

  prepare(sql: string): Prepared {
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    const statement = this.#database.prepare(sql);
    const isQuery = /^\s*select\b/i.test(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0, isQuery };
    const [oldest] = this.#statements.keys();
    if (this.#statements.size >= MAX_CACHED_STATEMENTS && oldest !== undefined)
      this.#statements.delete(oldest);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  begin(): SqliteWorkerResult {
    this.#database.exec('begin immediate');
    return EMPTY_SQLITE_WORKER_RESULT;
  }

  commit(): SqliteWorkerResult {
    this.#database.exec('commit');
    return EMPTY_SQLITE_WORKER_RESULT;
  }

  rollback(): SqliteWorkerResult {
    if (this.#database.isTransaction) this.#database.exec('rollback');
    return EMPTY_SQLITE_WORKER_RESULT;
  }

  ping(): SqliteWorkerResult {
    this.#database.prepare('select 1').get();
    return EMPTY_SQLITE_WORKER_RESULT;
  }

  /** Writes a consistent copy to `path`. The file must be empty or not exist. */
  copy(path: string): SqliteWorkerResult {
    this.#database.prepare('vacuum into ?').run(path);
    return EMPTY_SQLITE_WORKER_RESULT;
  }

  close(): SqliteWorkerResult {
    this.#database.close();
    return EMPTY_SQLITE_WORKER_RESULT;
  }
}

/**
 * Returns the rows of a statement. They have no prototype; the structured clone of the port converts them to
 * ordinary objects. `node:sqlite` reads an integer above 2^53, which sums of money may reach, only as a bigint.
 */
function readRows(
  { statement, isQuery }: Prepared,
  parameters: readonly SqliteValue[],
): readonly Record<string, SQLOutputValue>[] {
  if (!isQuery) return readLargeIntegers(statement, parameters);
  try {
    return statement.all(...parameters);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return readLargeIntegers(statement, parameters);
  }
}

/** Returns the rows of a statement, with all integers as numbers, rounded above 2^53. */
function readLargeIntegers(
  statement: StatementSync,
  parameters: readonly SqliteValue[],
): readonly Record<string, SQLOutputValue>[] {
  statement.setReadBigInts(true);
  try {
    const rows = statement.all(...parameters);
    for (const row of rows)
      for (const name in row) {
        const value = row[name];
        if (typeof value === 'bigint') row[name] = Number(value);
      }
    return rows;
  } finally {
    statement.setReadBigInts(false);
  }
}

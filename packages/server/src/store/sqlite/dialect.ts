import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { statementError } from './errors.ts';
import type { Request, SqlValue } from './protocol.ts';
import type { Turns } from './turns.ts';
import { RequestFailed, type WorkerThread } from './worker-thread.ts';

/** Kysely over one worker thread. `turns` makes transactions of this thread follow one another. */
export class WorkerDialect implements Dialect {
  readonly #thread: WorkerThread;
  readonly #turns: Turns | null;

  constructor(thread: WorkerThread, turns: Turns | null) {
    this.#thread = thread;
    this.#turns = turns;
  }

  createDriver(): Driver {
    return new WorkerDriver(this.#thread, this.#turns);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new QueueingAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}

/** Kysely need not hold queries back one by one: the thread's port and `Turns` are the queues. */
class QueueingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class WorkerDriver implements Driver {
  readonly #thread: WorkerThread;
  readonly #turns: Turns | null;

  constructor(thread: WorkerThread, turns: Turns | null) {
    this.#thread = thread;
    this.#turns = turns;
  }

  /** The thread is opened, and closed, by whoever made it. */
  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const endTurn = this.#turns ? await this.#turns.take() : null;
    return new WorkerConnection(this.#thread, endTurn);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof WorkerConnection) connection.endTurn?.();
  }

  async beginTransaction(): Promise<void> {
    await askSql(this.#thread, { kind: 'begin' }, 'begin immediate');
  }

  async commitTransaction(): Promise<void> {
    await askSql(this.#thread, { kind: 'commit' }, 'commit');
  }

  async rollbackTransaction(): Promise<void> {
    await askSql(this.#thread, { kind: 'rollback' }, 'rollback');
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}

class WorkerConnection implements DatabaseConnection {
  readonly #thread: WorkerThread;
  readonly endTurn: (() => void) | null;

  constructor(thread: WorkerThread, endTurn: (() => void) | null) {
    this.#thread = thread;
    this.endTurn = endTurn;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters.map(sqlValue);
    const done = await askSql(this.#thread, { kind: 'query', sql: query.sql, parameters }, query.sql);
    return { rows: rowsAs<R>(done.rows), numAffectedRows: BigInt(done.changes) };
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield* [];
    throw new Error('The SQLite store does not stream; read page by page');
  }
}

async function askSql(thread: WorkerThread, request: Request, sql: string) {
  try {
    return await thread.ask(request);
  } catch (error) {
    throw error instanceof RequestFailed ? statementError(error.failure, sql) : error;
  }
}

function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint' || value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite takes no ${typeof value} as a parameter`);
}

/** Kysely typed the columns from `Schema`; the migrations made the tables that way. */
function rowsAs<R>(rows: readonly object[]): R[] {
  return rows as R[];
}

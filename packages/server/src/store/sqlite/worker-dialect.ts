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
import type { TurnScheduler } from '../fair-turn-scheduler.ts';
import { toSqliteStatementError } from './sqlite-errors.ts';
import { SqliteWorkerRequestError, type SqliteWorkerThread } from './sqlite-worker-thread.ts';
import type { SqliteValue, SqliteWorkerRequest } from './worker-protocol.ts';

/**
 * A Kysely dialect that uses one worker thread. `turns` puts the thread's transactions in order.
 */
export class SqliteWorkerDialect implements Dialect {
  readonly #thread: SqliteWorkerThread;
  readonly #turns: TurnScheduler | null;

  constructor(thread: SqliteWorkerThread, turns: TurnScheduler | null) {
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

/** Tells Kysely that it need not queue queries, because the port of the thread and `Turns` do. */
class QueueingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class WorkerDriver implements Driver {
  readonly #thread: SqliteWorkerThread;
  readonly #turns: TurnScheduler | null;

  constructor(thread: SqliteWorkerThread, turns: TurnScheduler | null) {
    this.#thread = thread;
    this.#turns = turns;
  }

  /** Does nothing, because the owner of the thread opens and closes it. */
  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const endTurn = this.#turns ? await this.#turns.acquire() : null;
    return new WorkerConnection(this.#thread, endTurn);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof WorkerConnection) connection.endTurn?.();
  }

  async beginTransaction(): Promise<void> {
    await executeSql(this.#thread, { kind: 'begin' }, 'begin immediate');
  }

  async commitTransaction(): Promise<void> {
    await executeSql(this.#thread, { kind: 'commit' }, 'commit');
  }

  async rollbackTransaction(): Promise<void> {
    await executeSql(this.#thread, { kind: 'rollback' }, 'rollback');
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}

class WorkerConnection implements DatabaseConnection {
  readonly #thread: SqliteWorkerThread;
  readonly endTurn: (() => void) | null;

  constructor(thread: SqliteWorkerThread, endTurn: (() => void) | null) {
    this.#thread = thread;
    this.endTurn = endTurn;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters.map(toSqlValue);
    const done = await executeSql(this.#thread, { kind: 'query', sql: query.sql, parameters }, query.sql);
    return { rows: castRows<R>(done.rows), numAffectedRows: BigInt(done.changes) };
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield* [];
    throw new Error('The SQLite store does not support streaming; read page by page');
  }
}

async function executeSql(thread: SqliteWorkerThread, request: SqliteWorkerRequest, sql: string) {
  try {
    return await thread.send(request);
  } catch (error) {
    throw error instanceof SqliteWorkerRequestError ? toSqliteStatementError(error.failure, sql) : error;
  }
}

function toSqlValue(value: unknown): SqliteValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint' || value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite does not support a parameter of type ${typeof value}`);
}

/**
 * Converts the type of rows. Kysely derived the columns from `DatabaseSchema`, and the migrations created the
 * tables accordingly.
 */
function castRows<R>(rows: readonly object[]): R[] {
  return rows as R[];
}

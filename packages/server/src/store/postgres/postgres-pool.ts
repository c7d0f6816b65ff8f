import pg from 'pg';
import type { Log } from '../../core/log.ts';
import {
  describePostgresOutage,
  isReadOnlyServerError,
  toPostgresStatementError,
} from './postgres-errors.ts';
import type { PostgresLiveness } from './postgres-liveness.ts';

/** How long a caller waits for a free or new connection, in milliseconds. */
export const POSTGRES_CONNECT_TIMEOUT_MS = 5_000;
/**
 * Time after a statement's own time limit at which a server that has not responded is considered unavailable.
 */
const ANSWER_GRACE_MS = 2_000;
/** How long a statement waits for a lock, in milliseconds. */
export const POSTGRES_LOCK_TIMEOUT_MS = 10_000;
/**
 * Maximum time between two statements of a transaction. A process whose transaction is idle for longer has ended or is
 * paused. Only the import of a SQLite database needs more time (`allowTransactionPauses`). Shorter than the lock
 * timeout, so that writes of other processes, which wait for this transaction, still succeed.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;
const IDLE_CONNECTION_MS = 30_000;

const INT8 = 20;
const NUMERIC = 1700;

/** Parses two types, which `pg` returns as text, as numbers. Only sums of money can be above 2^53; they are rounded. */
const numericTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format),
};

export interface PostgresPoolOptions {
  readonly url: string;
  readonly log: Log;
  readonly connections: number;
  /** Time limit for a statement. Null for migrations, which have none. */
  readonly statementTimeoutMs: number | null;
  /** Ends calls when the server does not respond. If it is absent, only the time limits of this module end them. */
  readonly liveness?: PostgresLiveness;
}

/**
 * Creates a connection pool of limited size. If the server is slow or unavailable, calls fail within the time
 * limits of this module.
 */
export function createPostgresPool({
  url,
  log,
  connections,
  statementTimeoutMs,
  liveness,
}: PostgresPoolOptions): PostgresPool {
  // The types of `pg` do not contain the time limit of one query.
  const settings: pg.QueryConfig & { readonly query_timeout: number } = {
    text: formatSessionSettings(statementTimeoutMs),
    query_timeout: POSTGRES_CONNECT_TIMEOUT_MS,
  };
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'floe',
    max: connections,
    connectionTimeoutMillis: POSTGRES_CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    types: numericTypes,
    ...(statementTimeoutMs !== null && { query_timeout: statementTimeoutMs + ANSWER_GRACE_MS }),
    // Not startup parameters, because PgBouncer rejects connections with unknown ones.
    onConnect: (client) => client.query(settings),
  });
  // An idle connection that breaks has no statement to reject. Without a listener, the error would end the
  // process.
  pool.on('error', (error) => log.debug({ err: error }, 'idle database connection was lost'));
  return new PostgresPool(pool, liveness ?? null);
}

/** Returns the statements that set up a new connection. */
function formatSessionSettings(statementTimeoutMs: number | null): string {
  const settings = {
    // Our queries read little from many partitions. Compiling them takes 100 ms and starting workers at
    // least 25 ms, which is more than they save.
    jit: 'off',
    max_parallel_workers_per_gather: 0,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(statementTimeoutMs !== null && {
      statement_timeout: statementTimeoutMs,
      lock_timeout: Math.min(POSTGRES_LOCK_TIMEOUT_MS, statementTimeoutMs),
    }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');
}

/** The result of a statement. Kysely reads `command` and `rowCount`. */
interface StatementResult<Row> {
  readonly command: 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' | 'MERGE' | 'COMMIT' | 'ROLLBACK';
  readonly rowCount: number;
  readonly rows: Row[];
}

/** A connection pool in the form that Kysely expects. Converts connection errors to `Fault`s. */
export class PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  readonly #liveness: PostgresLiveness | null;

  constructor(pool: pg.Pool, liveness: PostgresLiveness | null) {
    this.#pool = pool;
    this.#liveness = liveness;
    this.options = pool.options;
  }

  /**
   * Returns a free or new connection.
   * @throws Fault `overloaded` if no connection is free within 5 seconds, or if the server does not respond
   */
  async connect(): Promise<PostgresConnection> {
    let connecting: Promise<pg.PoolClient> | null = null;
    try {
      await this.#liveness?.requireResponsive();
      connecting = this.#pool.connect();
      return new PostgresConnection(await watch(this.#liveness, connecting), this.#liveness);
    } catch (error) {
      connecting?.then(
        (client) => client.release(),
        () => undefined,
      );
      throw toPostgresStatementError(error, 'connect');
    }
  }

  /** Runs `work` with a connection and then releases the connection. */
  async withConnection<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.connect();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  async end(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }
}

function watch<T>(liveness: PostgresLiveness | null, call: Promise<T>): Promise<T> {
  return liveness === null ? call : liveness.watch(call);
}

/** One connection from the pool. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #liveness: PostgresLiveness | null;
  #broken: unknown = null;
  #isReadOnly = false;

  constructor(client: pg.PoolClient, liveness: PostgresLiveness | null) {
    this.#client = client;
    this.#liveness = liveness;
    client.on('error', this.#onError);
  }

  readonly #onError = (error: Error): void => {
    this.#broken ??= toPostgresStatementError(error, 'a lost connection');
  };

  /**
   * Runs a statement.
   * @throws Fault, or an Error that contains the statement. A broken connection stays broken and does not
   * return to the pool.
   */
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<StatementResult<Row>>;
  query<Cursor extends object>(cursor: Cursor): Cursor;
  query<Row>(
    sql: string | object,
    parameters: readonly unknown[] = [],
  ): Promise<StatementResult<Row>> | object {
    if (typeof sql !== 'string')
      throw new Error('The PostgreSQL store does not support streaming; read page by page');
    return this.#run<Row>({ text: sql, values: [...parameters] });
  }

  /**
   * Runs a frequent statement, which PostgreSQL parses and plans only once per connection. Otherwise the same
   * as `query`.
   */
  queryPrepared<Row>(name: string, text: string, values: readonly unknown[]): Promise<StatementResult<Row>> {
    return this.#run<Row>({ name, text, values: [...values] });
  }

  async #run<Row>(query: pg.QueryConfig): Promise<StatementResult<Row>> {
    if (this.#broken !== null) throw this.#broken;
    try {
      const result = await watch(this.#liveness, this.#client.query(query));
      this.#liveness?.recordResponse();
      return toStatementResult<Row>(result);
    } catch (error) {
      const told = toPostgresStatementError(error, query.text);
      // The statement may still run on the server, and later statements would wait for it.
      if (isConnectionLost(error)) this.#broken = told;
      if (isReadOnlyServerError(error)) this.#isReadOnly = true;
      throw told;
    }
  }

  /**
   * Returns the connection to the pool, or closes it if it is broken or its server is read-only. After a failover,
   * an old connection can still lead to the previous primary server. A new connection leads to the current one.
   * @param discard always closes the connection
   */
  release(discard = false): void {
    this.#client.removeListener('error', this.#onError);
    this.#client.release(discard || this.#broken !== null || this.#isReadOnly);
  }
}

/**
 * Returns whether the error leaves the connection unusable. Errors with a SQLSTATE are responses of a working
 * server; all others do.
 */
function isConnectionLost(error: unknown): boolean {
  if (describePostgresOutage(error) === null) return false;
  const answered = error instanceof pg.DatabaseError && !/^(57P|08|25P03)/.test(error.code ?? '');
  return !answered;
}

/**
 * Converts the type of a result. Kysely derived the columns from `DatabaseSchema`, and the migrations created
 * the tables accordingly.
 */
function toStatementResult<Row>(result: pg.QueryResult): StatementResult<Row> {
  return {
    command: result.command as StatementResult<Row>['command'],
    rowCount: result.rowCount ?? 0,
    rows: result.rows,
  };
}

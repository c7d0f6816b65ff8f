import pg from 'pg';
import type { Log } from '../../core/log.ts';
import { describeOutage, toStatementError } from './postgres-errors.ts';

/** How long a caller waits for a free connection, or for a new one to open. */
const CONNECT_TIMEOUT_MS = 5_000;
/** The server's own limit comes first; after this much more it no longer answers at all. */
const ANSWER_GRACE_MS = 2_000;
const LOCK_TIMEOUT_MS = 10_000;
/** A transaction awaits nothing but its own statements; one that idles has lost its process. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const IDLE_CONNECTION_MS = 30_000;

const INT8 = 20;
const NUMERIC = 1700;

/** `pg` gives both as text; every integer of ours is below 2^53. */
const numericTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format),
};

export interface PostgresPoolOptions {
  readonly url: string;
  readonly log: Log;
  readonly connections: number;
  /** Null for migrations, whose statements may take as long as they need. */
  readonly statementTimeoutMs: number | null;
}

/** A bounded pool; a server that is slow or away is a failure within the times above, never a hang. */
export function createPostgresPool({
  url,
  log,
  connections,
  statementTimeoutMs,
}: PostgresPoolOptions): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'floe',
    // Our queries read little from many partitions: compiling them costs 100 ms, starting workers 25 ms and more
    // where cores are few, and both save less.
    options: '-c jit=off -c max_parallel_workers_per_gather=0',
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types: numericTypes,
    ...(statementTimeoutMs !== null && {
      statement_timeout: statementTimeoutMs,
      lock_timeout: Math.min(LOCK_TIMEOUT_MS, statementTimeoutMs),
      query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    }),
  });
  // An idle connection that breaks has no statement to fail; without a listener it would end the process.
  pool.on('error', (error) => log.debug({ err: error }, 'idle database connection was lost'));
  return new PostgresPool(pool);
}

/** What a statement gives back. Kysely reads `command` and `rowCount`. */
interface StatementResult<Row> {
  readonly command: 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' | 'MERGE' | 'COMMIT' | 'ROLLBACK';
  readonly rowCount: number;
  readonly rows: Row[];
}

/** The pool as Kysely takes it, with `Fault`s for errors. */
export class PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.options = pool.options;
  }

  /** @throws Fault `overloaded` when there is none within 5 seconds. */
  async connect(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect());
    } catch (error) {
      throw toStatementError(error, 'connect');
    }
  }

  /** Hands a connection to `work` and takes it back. */
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

export class PostgresConnection {
  readonly #client: pg.PoolClient;
  #broken: unknown = null;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on('error', this.#onError);
  }

  readonly #onError = (error: Error): void => {
    this.#broken ??= toStatementError(error, 'a lost connection');
  };

  /** @throws Fault, or Error naming the statement; a connection that broke stays so and is not pooled again. */
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

  /** As `query`, parsed and planned once per connection: for what comes by the thousand. */
  queryPrepared<Row>(name: string, text: string, values: readonly unknown[]): Promise<StatementResult<Row>> {
    return this.#run<Row>({ name, text, values: [...values] });
  }

  async #run<Row>(query: pg.QueryConfig): Promise<StatementResult<Row>> {
    if (this.#broken !== null) throw this.#broken;
    try {
      return toStatementResult<Row>(await this.#client.query(query));
    } catch (error) {
      const told = toStatementError(error, query.text);
      // A statement that timed out here is still under way there: what is sent after it would wait for it.
      if (isConnectionLost(error)) this.#broken = told;
      throw told;
    }
  }

  /** @param discard closes it instead of keeping it for the next caller. */
  release(discard = false): void {
    this.#client.removeListener('error', this.#onError);
    this.#client.release(discard || this.#broken !== null);
  }
}

/** Errors with a SQLSTATE were answered by a server that goes on; others leave the connection unusable. */
function isConnectionLost(error: unknown): boolean {
  if (describeOutage(error) === null) return false;
  const answered = error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '');
  return !answered;
}

/** Kysely typed the columns from `Schema`, and the migrations made the tables that way. */
function toStatementResult<Row>(result: pg.QueryResult): StatementResult<Row> {
  return {
    command: result.command as StatementResult<Row>['command'],
    rowCount: result.rowCount ?? 0,
    rows: result.rows,
  };
}

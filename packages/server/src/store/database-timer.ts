import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { TurnScheduler } from './fair-turn-scheduler.ts';

/**
 * The measured operations of a database: one query outside a transaction, one transaction, one batch of
 * request rows, and one batch of beats.
 */
export type DatabaseOperationKind = 'read' | 'transaction' | 'ingest' | 'beats';

/** Receives the duration of each operation in milliseconds, whether it succeeded or failed. */
export type DatabaseObserver = (kind: DatabaseOperationKind, durationMs: number) => void;

/** An observer that ignores all durations. */
export const NOOP_DATABASE_OBSERVER: DatabaseObserver = () => undefined;

/**
 * Measures database operations from the call until the result. The time includes waiting for the worker
 * thread, for a connection and for other transactions.
 */
export class DatabaseOperationTimer {
  readonly #observe: DatabaseObserver;
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(observe: DatabaseObserver, clock: Pick<Clock, 'monotonic'>) {
    this.#observe = observe;
    this.#clock = clock;
  }

  async time<T>(kind: DatabaseOperationKind, work: () => Promise<T>): Promise<T> {
    const startedAt = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      this.#observe(kind, this.#clock.monotonic() - startedAt);
    }
  }

  /**
   * Returns a dialect whose queries wait for their turn and are measured as `read`. It must not be used for
   * transactions.
   */
  timeReads(dialect: Dialect, turns: TurnScheduler): Dialect {
    return {
      createDriver: () => this.#timeDriver(dialect.createDriver(), turns),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (database) => dialect.createIntrospector(database),
    };
  }

  #timeDriver(driver: Driver, turns: TurnScheduler): Driver {
    return {
      init: () => driver.init(),
      acquireConnection: async () => {
        const askedAt = this.#clock.monotonic();
        let endTurn: () => void = () => undefined;
        try {
          endTurn = await turns.acquire();
          const connection = await driver.acquireConnection();
          const waitMs = this.#clock.monotonic() - askedAt;
          const sink = { observe: this.#observe, clock: this.#clock };
          return new TimedConnection(connection, { waitMs, endTurn }, sink);
        } catch (error) {
          endTurn();
          this.#observe('read', this.#clock.monotonic() - askedAt);
          throw error;
        }
      },
      beginTransaction: rejectTransaction,
      commitTransaction: rejectTransaction,
      rollbackTransaction: rejectTransaction,
      releaseConnection: async (connection) => {
        if (!(connection instanceof TimedConnection)) return driver.releaseConnection(connection);
        await driver.releaseConnection(connection.inner).finally(connection.endTurn);
      },
      destroy: () => driver.destroy(),
    };
  }
}

async function rejectTransaction(): Promise<void> {
  throw new Error('a read-only database handle cannot start a transaction');
}

class TimedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly endTurn: () => void;
  readonly #sink: { readonly observe: DatabaseObserver; readonly clock: Pick<Clock, 'monotonic'> };
  /** How long it took to get this connection. This time is added to the first query. */
  #waitMs: number;

  constructor(
    inner: DatabaseConnection,
    { waitMs, endTurn }: { readonly waitMs: number; readonly endTurn: () => void },
    sink: { readonly observe: DatabaseObserver; readonly clock: Pick<Clock, 'monotonic'> },
  ) {
    this.inner = inner;
    this.endTurn = endTurn;
    this.#waitMs = waitMs;
    this.#sink = sink;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { observe, clock } = this.#sink;
    const startedAt = clock.monotonic() - this.#waitMs;
    this.#waitMs = 0;
    try {
      return await this.inner.executeQuery<R>(query);
    } finally {
      observe('read', clock.monotonic() - startedAt);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}

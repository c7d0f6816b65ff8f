import type { KeyObject } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Clock, sleep } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import type { Log } from '../../core/log.ts';
import { EPHEMERAL_AUDIT_KEY, setAuditKey } from '../audit-context.ts';
import type { DatabaseEngine } from '../database-engine.ts';
import { type DatabaseObserver, DatabaseOperationTimer, NOOP_DATABASE_OBSERVER } from '../database-timer.ts';
import { FairTurnScheduler } from '../fair-turn-scheduler.ts';
import type { Migration } from '../migrations/migration.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import type { BeatStore, UneventfulBeats } from '../monitoring/uneventful-beats.ts';
import type { DatabaseSchema } from '../schema.ts';
import type { Database, DatabaseWriter, SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';
import { applyPostgresBeatsIfUnchanged } from './apply-beats.ts';
import { DayPartitions } from './day-partitions.ts';
import { ingestPostgresSpoolRegion } from './ingest-region.ts';
import { runMigrationTransaction } from './migration-transaction.ts';
import { describePostgresOutage, getPostgresErrorCode } from './postgres-errors.ts';
import { PostgresLiveness } from './postgres-liveness.ts';
import {
  createPostgresPool,
  POSTGRES_CONNECT_TIMEOUT_MS,
  POSTGRES_LOCK_TIMEOUT_MS,
  type PostgresPool,
} from './postgres-pool.ts';
import { PostgresSnapshotSignals } from './postgres-snapshot-signals.ts';
import { PostgresWriteFailures, requireWritable } from './postgres-write-access.ts';

/**
 * Number of connections, which lists, charts, management operations and row batches share. More connections
 * would only wait in the server.
 */
const CONNECTIONS = 10;
/**
 * Turns of queries outside transactions. The other connections are for transactions and for batches of rows and beats.
 */
const READ_TURNS = { total: 6, perOrg: 3, maxWaitMs: POSTGRES_CONNECT_TIMEOUT_MS };
/** Turns of the transactions that run one at a time. At most one of the two belongs to an organization. */
const WRITE_TURNS = { total: 2, maxWaitMs: POSTGRES_LOCK_TIMEOUT_MS };
const STATEMENT_TIMEOUT_MS = 30_000;
/** How long to wait for a database server that is still starting, as in a compose file. */
const START_TIMEOUT_MS = 30_000;
const START_RETRY_MS = 500;
/** Timeout for a readiness probe. It is shorter than the time limit for statements. */
const PING_TIMEOUT_MS = 2_000;

/** Lock number of write transactions, in all processes. The number is arbitrary. */
const WRITE_TRANSACTION_LOCK = 7_310_564_001;

export interface OpenPostgresOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Key of the audit chains. If it is absent, a random key is used that only this process has. */
  readonly auditKey?: KeyObject | undefined;
  /** Receives the durations of database operations. */
  readonly observe?: DatabaseObserver | undefined;
  /** The migrations of the release. Only tests set it. */
  readonly migrations?: readonly Migration[];
  /** Whether to run contract migrations even while processes of older releases use the database. */
  readonly force?: boolean;
  /** How long to wait for an unavailable server. Default: 30 seconds. */
  readonly startTimeoutMs?: number;
  /** Time limit for a statement. Default: 30 seconds. */
  readonly statementTimeoutMs?: number;
}

/**
 * Opens a PostgreSQL database and runs pending migrations. Waits up to 30 seconds if the server is
 * unavailable.
 *
 * @throws FatalError if the server cannot be reached or rejects the connection, or a newer
 * program created the database
 */
export async function openPostgres(url: string, options: OpenPostgresOptions): Promise<Database & BeatStore> {
  const place = describeDatabaseUrl(url);
  const patient = createPostgresPool({ url, log: options.log, connections: 1, statementTimeoutMs: null });
  try {
    await waitForServer(patient, place, options);
    const kysely = createKysely(patient);
    await runMigrations(
      {
        transaction: <T>(work: (writer: DatabaseWriter) => Promise<T>) =>
          runMigrationTransaction<T>((inner) => runSerialized(kysely, inner), work, options),
      },
      {
        ...options,
        createBackup: async (number) =>
          options.log.info(
            { number },
            'migration of the PostgreSQL database started; to undo it, restore a pg_dump from before the migration',
          ),
      },
    );
  } finally {
    await patient.end();
  }
  const { log, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const liveness = new PostgresLiveness(url, options.clock);
  const pool = createPostgresPool({ url, log, connections: CONNECTIONS, statementTimeoutMs, liveness });
  const kysely = createKysely(pool);
  const signals = new PostgresSnapshotSignals({ url, read: kysely, clock: options.clock, log: options.log });
  await signals.open();
  return new PostgresDatabase(pool, kysely, signals, options);
}

class PostgresDatabase implements Database, BeatStore {
  readonly engine: DatabaseEngine = 'postgres';
  readonly isShared = true;
  readonly isRemote = true;
  readonly read: Kysely<DatabaseSchema>;
  readonly signals: PostgresSnapshotSignals;
  readonly #write: Kysely<DatabaseSchema>;
  readonly #timer: DatabaseOperationTimer;
  readonly #pool: PostgresPool;
  readonly #clock: Clock;
  readonly #partitions = new DayPartitions();
  readonly #writeTurns: FairTurnScheduler;
  readonly #writeFailures: PostgresWriteFailures;
  readonly #auditKey: KeyObject;

  constructor(
    pool: PostgresPool,
    kysely: Kysely<DatabaseSchema>,
    signals: PostgresSnapshotSignals,
    { clock, auditKey = EPHEMERAL_AUDIT_KEY, observe = NOOP_DATABASE_OBSERVER }: OpenPostgresOptions,
  ) {
    this.#auditKey = auditKey;
    this.#pool = pool;
    this.#write = kysely;
    this.#timer = new DatabaseOperationTimer(observe, clock);
    this.read = new Kysely<DatabaseSchema>({
      dialect: this.#timer.timeReads(new PostgresDialect({ pool }), new FairTurnScheduler(clock, READ_TURNS)),
    });
    setAuditKey(this.read, auditKey);
    this.signals = signals;
    this.#clock = clock;
    this.#writeTurns = new FairTurnScheduler(clock, WRITE_TURNS);
    this.#writeFailures = new PostgresWriteFailures(clock);
  }

  transaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T> {
    return this.#timer.time('transaction', async () => {
      const endTurn = await this.#writeTurns.acquire();
      const run = runSerialized(this.#write, (writer) => {
        setAuditKey(writer, this.#auditKey);
        return work(writer);
      });
      return this.#writeFailures.observe(run).finally(endTurn);
    });
  }

  rowTransaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T> {
    return this.#timer.time('transaction', () =>
      this.#writeFailures.observe(this.#write.transaction().execute(work)),
    );
  }

  async ping(): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(PING_TIMEOUT_MS, () =>
      late.reject(
        new Fault(
          'overloaded',
          `The database did not respond within ${PING_TIMEOUT_MS / 1000} s. Check that PostgreSQL is running, and that this machine can connect to it.`,
        ),
      ),
    );
    await Promise.race([requireWritable(this.#pool), late.promise]).finally(() => timer.cancel());
    this.#writeFailures.requireNone();
  }

  ingest(region: SpoolRegion): Promise<SpoolIngestResult> {
    return this.#timer.time('ingest', () =>
      this.#writeFailures.observe(
        this.#pool.withConnection((connection) =>
          ingestPostgresSpoolRegion(connection, this.#partitions, region),
        ),
      ),
    );
  }

  applyBeatsIfUnchanged(beats: readonly UneventfulBeats[], rewindCount: number): Promise<readonly boolean[]> {
    return this.#timer.time('beats', () =>
      this.#pool.withConnection((connection) =>
        applyPostgresBeatsIfUnchanged(connection, beats, rewindCount),
      ),
    );
  }

  expireExchanges(beforeMs: number): Promise<boolean> {
    return this.#pool.withConnection((connection) => this.#partitions.drop(connection, beforeMs));
  }

  async close(): Promise<void> {
    await this.signals.close();
    await this.#pool.end();
  }
}

function createKysely(pool: PostgresPool): Kysely<DatabaseSchema> {
  return new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) });
}

function runSerialized<T>(
  kysely: Kysely<DatabaseSchema>,
  work: (writer: DatabaseWriter) => Promise<T>,
): Promise<T> {
  return kysely.transaction().execute(async (writer) => {
    await sql`select pg_advisory_xact_lock(${WRITE_TRANSACTION_LOCK})`.execute(writer);
    return work(writer);
  });
}

async function waitForServer(
  pool: PostgresPool,
  place: string,
  { clock, log, startTimeoutMs }: OpenPostgresOptions,
) {
  const until = clock.monotonic() + (startTimeoutMs ?? START_TIMEOUT_MS);
  for (let tries = 1; ; tries++) {
    try {
      return await pool.withConnection((connection) => connection.query('select 1', []));
    } catch (error) {
      const { reason, away } = classifyConnectFailure(error);
      if (!away || clock.monotonic() >= until)
        throw new FatalError(
          `Cannot use the database ${place}: ${reason}. Check storage.database (or FLOE_DATABASE_URL).`,
          {
            cause: error,
          },
        );
      if (tries === 1) log.warn({ database: place, reason }, 'server is waiting for the database');
    }
    await sleep(clock, START_RETRY_MS);
  }
}

/**
 * Returns why the connection failed, and whether waiting may help. Waiting does not help against a wrong
 * password or database name.
 */
function classifyConnectFailure(error: unknown): { readonly reason: string; readonly away: boolean } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof Error ? cause.message || getPostgresErrorCode(cause) || cause.name : String(cause);
  return { reason, away: describePostgresOutage(cause) !== null };
}

/**
 * Returns `host:port/database`, without the password.
 * @throws FatalError for an invalid URL
 */
function describeDatabaseUrl(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch (cause) {
    throw new FatalError(
      'storage.database (or FLOE_DATABASE_URL) must be postgres://user:password@host:port/database. Percent-encode special characters in the password.',
      { cause },
    );
  }
}

import type { KeyObject } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Clock, pause } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { noteAuditKey, PROCESS_AUDIT_KEY } from '../audit-context.ts';
import type { Engine } from '../engine.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import type { BeatStore, QuietBeats } from '../monitoring/quiet-beats.ts';
import type { Database, Ingested, SpoolRegion, Writer } from '../ports.ts';
import type { Schema } from '../schema.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { codeOf, outage } from './errors.ts';
import { ingest } from './ingest.ts';
import { keepBeats } from './keep-beats.ts';
import { Partitions } from './partitions.ts';
import { createPool, type Pool } from './pool.ts';
import { PostgresSignals } from './signals.ts';

/** Lists, charts, verbs and row batches share these; more would only queue inside the server. */
const CONNECTIONS = 10;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A database that starts together with Floe, as in a compose file, gets this long. */
const START_TIMEOUT_MS = 30_000;
const START_RETRY_MS = 500;
/** Whoever asks whether we are ready will not wait for a statement's time. */
const PING_TIMEOUT_MS = 2_000;

/** Serialises write transactions of every process (the number is arbitrary and fixed). */
const WRITER_LOCK = 7_310_564_001;

export interface OpenPostgresOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Of the audit chains; one that only this process knows unless given. */
  readonly auditKey?: KeyObject | undefined;
  /** The program's own list unless a test passes another. */
  readonly migrations?: readonly Migration[];
  /** How long an absent server is waited for; 30 s unless given. */
  readonly startTimeoutMs?: number;
  /** How long a statement may take; 30 s unless given. */
  readonly statementTimeoutMs?: number;
}

/**
 * Opens a PostgreSQL database and migrates it. A server that is away is waited for, 30 seconds at most.
 *
 * @throws StoreUnusable when it cannot be reached, refuses us, or was made by a newer program.
 */
export async function openPostgres(url: string, options: OpenPostgresOptions): Promise<Database & BeatStore> {
  const place = placeOf(url);
  const patient = createPool({ url, log: options.log, connections: 1, statementTimeoutMs: null });
  try {
    await reach(patient, place, options);
    const kysely = kyselyOver(patient);
    await migrate(
      { transaction: (work) => serialised(kysely, work) },
      {
        ...options,
        keepCopy: async (number) =>
          options.log.info({ number }, 'Migrating PostgreSQL; a copy from before is what pg_dump made'),
      },
    );
  } finally {
    await patient.end();
  }
  const { log, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = createPool({ url, log, connections: CONNECTIONS, statementTimeoutMs });
  const kysely = kyselyOver(pool);
  const signals = new PostgresSignals({ url, read: kysely, clock: options.clock, log: options.log });
  await signals.open();
  return new PostgresDatabase(pool, kysely, signals, options);
}

class PostgresDatabase implements Database, BeatStore {
  readonly engine: Engine = 'postgres';
  readonly isShared = true;
  readonly read: Kysely<Schema>;
  readonly signals: PostgresSignals;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #partitions = new Partitions();

  readonly #auditKey: KeyObject;

  constructor(
    pool: Pool,
    kysely: Kysely<Schema>,
    signals: PostgresSignals,
    { clock, auditKey = PROCESS_AUDIT_KEY }: OpenPostgresOptions,
  ) {
    this.#auditKey = auditKey;
    noteAuditKey(kysely, auditKey);
    this.#pool = pool;
    this.read = kysely;
    this.signals = signals;
    this.#clock = clock;
  }

  transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return serialised(this.read, (writer) => {
      noteAuditKey(writer, this.#auditKey);
      return work(writer);
    });
  }

  rowTransaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.read.transaction().execute(work);
  }

  async ping(): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(PING_TIMEOUT_MS, () =>
      late.reject(new Fault('overloaded', 'The database does not answer.')),
    );
    const answered = this.#pool.withConnection((connection) => connection.query('select 1', []));
    await Promise.race([answered, late.promise]).finally(() => timer.cancel());
  }

  ingest(region: SpoolRegion): Promise<Ingested> {
    return this.#pool.withConnection((connection) => ingest(connection, this.#partitions, region));
  }

  keepBeats(beats: readonly QuietBeats[]): Promise<readonly boolean[]> {
    return this.#pool.withConnection((connection) => keepBeats(connection, beats));
  }

  expire(beforeMs: number): Promise<number> {
    return this.#pool.withConnection((connection) => this.#partitions.drop(connection, beforeMs));
  }

  async close(): Promise<void> {
    await this.signals.close();
    await this.#pool.end();
  }
}

function kyselyOver(pool: Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

function serialised<T>(kysely: Kysely<Schema>, work: (writer: Writer) => Promise<T>): Promise<T> {
  return kysely.transaction().execute(async (writer) => {
    await sql`select pg_advisory_xact_lock(${WRITER_LOCK})`.execute(writer);
    return work(writer);
  });
}

async function reach(pool: Pool, place: string, { clock, log, startTimeoutMs }: OpenPostgresOptions) {
  const until = clock.monotonic() + (startTimeoutMs ?? START_TIMEOUT_MS);
  for (let tries = 1; ; tries++) {
    try {
      return await pool.withConnection((connection) => connection.query('select 1', []));
    } catch (error) {
      const { reason, away } = failure(error);
      if (!away || clock.monotonic() >= until)
        throw new StoreUnusable(`Cannot use the database ${place}: ${reason}`, { cause: error });
      if (tries === 1) log.warn({ database: place, reason }, 'Waiting for the database');
    }
    await pause(clock, START_RETRY_MS);
  }
}

/** Why it did not open, and whether waiting may help: a wrong password or name stays wrong. */
function failure(error: unknown): { readonly reason: string; readonly away: boolean } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message || codeOf(cause) || cause.name : String(cause);
  return { reason, away: outage(cause) !== null };
}

/** `host:port/database`, without the password. @throws StoreUnusable for what is no URL. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch (cause) {
    throw new StoreUnusable(
      'storage.database wants postgres://user:password@host:port/database; write special characters of the password as %XX.',
      { cause },
    );
  }
}

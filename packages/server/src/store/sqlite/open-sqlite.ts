import type { KeyObject } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { FatalError } from '../../core/fatal-error.ts';
import { runForServer } from '../../core/org-context.ts';
import { EPHEMERAL_AUDIT_KEY, setAuditKey } from '../audit-context.ts';
import type { CoordinatorClient } from '../coordinator/coordinator-client.ts';
import { createPrivateDirectory } from '../create-private-directory.ts';
import { type DatabaseObserver, DatabaseOperationTimer, NOOP_DATABASE_OBSERVER } from '../database-timer.ts';
import { FairTurnScheduler, type TurnScheduler } from '../fair-turn-scheduler.ts';
import type { Migration } from '../migrations/migration.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import {
  type BeatStore,
  toUneventfulBeatParameters,
  type UneventfulBeatParameters,
  type UneventfulBeats,
} from '../monitoring/uneventful-beats.ts';
import { expireExchangesInBatches } from '../retention.ts';
import type { DatabaseSchema } from '../schema.ts';
import type { Database, DatabaseWriter, SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';
import { CoordinatedSnapshotSignals } from './coordinated-snapshot-signals.ts';
import { CoordinatedWriteScheduler } from './coordinated-write-scheduler.ts';
import {
  DATABASE_COPY_SIZE_SQL,
  type DatabaseCopyDependencies,
  getRestoredCopyPath,
  planMigrationCopy,
  writeDatabaseCopy,
} from './database-copy.ts';
import { type CommitSignals, InProcessSnapshotSignals } from './in-process-snapshot-signals.ts';
import { describeSqliteOpenError, toSqliteStatementError } from './sqlite-errors.ts';
import { SqliteWorkerRequestError, SqliteWorkerThread } from './sqlite-worker-thread.ts';
import { SqliteWorkerDialect } from './worker-dialect.ts';
import type { SqliteWorkerRole } from './worker-protocol.ts';

export interface OpenSqliteOptions extends DatabaseCopyDependencies {
  /** Key of the audit chains. If it is absent, a random key is used that only this process has. */
  readonly auditKey?: KeyObject | undefined;
  /** Receives the durations of database operations. */
  readonly observe?: DatabaseObserver | undefined;
  /** The migrations of the release. Only tests set it. */
  readonly migrations?: readonly Migration[];
  /** Set if several processes of one server use the file. It puts their transactions in order. */
  readonly coordinator?: CoordinatorClient | undefined;
}

/**
 * Opens a SQLite file. Creates it if it is missing, and runs pending migrations. One thread writes
 * and another one reads.
 *
 * @throws FatalError if the path, the file or its schema cannot be used
 */
export async function openSqlite(path: string, options: OpenSqliteOptions): Promise<Database & BeatStore> {
  await prepareFile(path);
  const writer = new SqliteWorkerThread('writer', options.log);
  const reader = new SqliteWorkerThread('reader', options.log);
  try {
    await openThread(writer, path, 'writer');
    const database = new SqliteDatabase(writer, reader, options);
    await runMigrations(database, {
      ...options,
      createBackup: (number) => copyBeforeMigration({ database, writer, path }, number, options),
    });
    await openThread(reader, path, 'reader');
    await database.signals.open();
    return database;
  } catch (error) {
    await Promise.all([writer.terminate(), reader.terminate()]);
    throw error;
  }
}

class SqliteDatabase implements Database, BeatStore {
  readonly isShared: boolean;
  readonly isRemote = false;
  readonly signals: CommitSignals;
  readonly read: Kysely<DatabaseSchema>;
  readonly #write: Kysely<DatabaseSchema>;
  readonly #writer: SqliteWorkerThread;
  readonly #reader: SqliteWorkerThread;
  readonly #turns: TurnScheduler;
  /** Of this process. */
  readonly #ownTurns: FairTurnScheduler;
  readonly #timer: DatabaseOperationTimer;

  readonly #auditKey: KeyObject;

  constructor(
    writer: SqliteWorkerThread,
    reader: SqliteWorkerThread,
    {
      auditKey = EPHEMERAL_AUDIT_KEY,
      observe = NOOP_DATABASE_OBSERVER,
      clock,
      log,
      coordinator,
    }: OpenSqliteOptions,
  ) {
    this.isShared = coordinator !== undefined;
    this.#ownTurns = new FairTurnScheduler(clock, { total: 1 });
    this.#turns = coordinator ? new CoordinatedWriteScheduler(coordinator, this.#ownTurns) : this.#ownTurns;
    this.#timer = new DatabaseOperationTimer(observe, clock);
    this.#auditKey = auditKey;
    this.#writer = writer;
    this.#reader = reader;
    this.read = new Kysely({
      dialect: this.#timer.timeReads(
        new SqliteWorkerDialect(reader, null),
        new FairTurnScheduler(clock, { total: 1 }),
      ),
    });
    setAuditKey(this.read, auditKey);
    this.#write = new Kysely({ dialect: new SqliteWorkerDialect(writer, this.#turns) });
    this.signals = coordinator
      ? new CoordinatedSnapshotSignals({ read: this.read, clock, log, coordinator })
      : new InProcessSnapshotSignals();
  }

  transaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T> {
    return this.#timer.time('transaction', () => this.#transact(work));
  }

  async #transact<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T> {
    let announced = false;
    const result = await this.#write.transaction().execute(async (writer) => {
      setAuditKey(writer, this.#auditKey);
      const done = await work(writer);
      announced = this.signals.hasAnnounced(writer);
      return done;
    });
    if (announced) this.signals.notify();
    return result;
  }

  rowTransaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T> {
    return runForServer(() => this.transaction(work));
  }

  expireExchanges(beforeMs: number): Promise<boolean> {
    return expireExchangesInBatches(this, beforeMs);
  }

  async ping(): Promise<void> {
    await Promise.all([this.#writer.send({ kind: 'ping' }), this.#reader.send({ kind: 'ping' })]);
  }

  ingest(region: SpoolRegion): Promise<SpoolIngestResult> {
    return this.#timer.time('ingest', () => this.#ingest(region));
  }

  async #ingest(region: SpoolRegion): Promise<SpoolIngestResult> {
    const endTurn = await runForServer(() => this.#turns.acquire());
    try {
      const { ingested } = await this.#writer.send({ kind: 'ingest', region });
      if (!ingested)
        throw new Error('the SQLite writer thread returned no counts for a batch of request rows');
      return ingested;
    } catch (error) {
      throw error instanceof SqliteWorkerRequestError
        ? toSqliteStatementError(error.failure, `ingest ${region.path}`)
        : error;
    } finally {
      endTurn();
    }
  }

  applyBeatsIfUnchanged(beats: readonly UneventfulBeats[], rewindCount: number): Promise<readonly boolean[]> {
    const parameters = beats.map((one) => toUneventfulBeatParameters(one, rewindCount));
    return this.#timer.time('beats', () => this.#applyBeats(parameters));
  }

  async #applyBeats(beats: readonly UneventfulBeatParameters[]): Promise<readonly boolean[]> {
    const request = { kind: 'beats', beats } as const;
    const endTurn = await runForServer(() => this.#turns.acquire());
    try {
      const { kept } = await this.#writer.send(request);
      if (!kept) throw new Error('the SQLite writer thread returned no result for a batch of beats');
      return kept;
    } catch (error) {
      throw error instanceof SqliteWorkerRequestError
        ? toSqliteStatementError(error.failure, 'apply a batch of beats')
        : error;
    } finally {
      endTurn();
    }
  }

  async close(): Promise<void> {
    await this.signals.close();
    // The supervisor may no longer grant the lock, and SQLite closes a file safely while others write to it.
    const endTurn = await this.#ownTurns.acquire();
    await this.#reader.close();
    // Closed last, because the last connection merges the write-ahead log into the file.
    await this.#writer.close();
    endTurn();
  }
}

async function openThread(thread: SqliteWorkerThread, path: string, role: SqliteWorkerRole): Promise<void> {
  try {
    await thread.send({ kind: 'open', path, role });
  } catch (error) {
    if (error instanceof SqliteWorkerRequestError)
      throw new FatalError(describeSqliteOpenError(path, error.failure), { cause: error });
    throw error;
  }
}

/** Creates a file that only its owner can read. SQLite gives its other files the same mode. */
async function prepareFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory())
    throw new FatalError(
      `${path} is a directory. storage.database (or FLOE_DATABASE_URL) must specify a file. Example: sqlite:./.floe/floe.db`,
    );
  const restored = getRestoredCopyPath(path);
  if (found === null && (await stat(restored).catch(() => null)) !== null)
    throw new FatalError(
      `${path} is missing, because "floe restore" was interrupted. Run "floe restore" again. To create an empty database instead, delete ${restored}.`,
    );
  try {
    createPrivateDirectory(dirname(path));
    await (await open(path, 'a', 0o600)).close();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(
      `Cannot write to the database ${path}: ${reason}. Check the permissions of the file and its directory.`,
      { cause },
    );
  }
}

async function copyBeforeMigration(
  { database, writer, path }: { database: SqliteDatabase; writer: SqliteWorkerThread; path: string },
  number: number,
  parts: DatabaseCopyDependencies,
): Promise<void> {
  const { to, purpose } = planMigrationCopy(path, number);
  const { rows } = await database.transaction((one) =>
    sql.raw<{ bytes: number }>(DATABASE_COPY_SIZE_SQL).execute(one),
  );
  const bytes = rows[0]?.bytes ?? 0;
  const write = (unfinished: string) => writer.send({ kind: 'copy', to: unfinished });
  await writeDatabaseCopy({ from: path, to, bytes, purpose, write }, parts);
}

import type { KeyObject } from 'node:crypto';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { noteAuditKey, PROCESS_AUDIT_KEY } from '../audit-context.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { type BeatStore, type QuietBeats, quietValues } from '../monitoring/quiet-beats.ts';
import type { Database, Ingested, SpoolRegion, Writer } from '../ports.ts';
import { expireInBatches } from '../retention.ts';
import type { Schema } from '../schema.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { WorkerDialect } from './dialect.ts';
import { openingError, statementError } from './errors.ts';
import { ProcessSignals } from './process-signals.ts';
import type { Role } from './protocol.ts';
import { Turns } from './turns.ts';
import { COPY_BYTES, type CopyParts, copyBefore, makeWhole } from './whole-copy.ts';
import { RequestFailed, WorkerThread } from './worker-thread.ts';

export interface OpenSqliteOptions extends CopyParts {
  /** Of the audit chains; one that only this process knows unless given. */
  readonly auditKey?: KeyObject | undefined;
  /** The program's own list unless a test passes another. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens a SQLite file, made and migrated when needed: one thread writes, one reads.
 *
 * @throws StoreUnusable when the path, the file or its schema cannot be used.
 */
export async function openSqlite(path: string, options: OpenSqliteOptions): Promise<Database & BeatStore> {
  await prepareFile(path);
  const writer = new WorkerThread('writer', options.log);
  const reader = new WorkerThread('reader', options.log);
  try {
    await openThread(writer, path, 'writer');
    const database = new SqliteDatabase(writer, reader, options.auditKey ?? PROCESS_AUDIT_KEY);
    await migrate(database, {
      ...options,
      keepCopy: (number) => keepCopy({ database, writer, path }, number, options),
    });
    await openThread(reader, path, 'reader');
    return database;
  } catch (error) {
    await Promise.all([writer.terminate(), reader.terminate()]);
    throw error;
  }
}

class SqliteDatabase implements Database, BeatStore {
  readonly isShared = false;
  readonly signals = new ProcessSignals();
  readonly read: Kysely<Schema>;
  readonly #write: Kysely<Schema>;
  readonly #writer: WorkerThread;
  readonly #reader: WorkerThread;
  readonly #turns = new Turns();

  readonly #auditKey: KeyObject;

  constructor(writer: WorkerThread, reader: WorkerThread, auditKey: KeyObject) {
    this.#auditKey = auditKey;
    this.#writer = writer;
    this.#reader = reader;
    this.read = new Kysely({ dialect: new WorkerDialect(reader, null) });
    noteAuditKey(this.read, auditKey);
    this.#write = new Kysely({ dialect: new WorkerDialect(writer, this.#turns) });
  }

  async transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    let announced = false;
    const result = await this.#write.transaction().execute(async (writer) => {
      noteAuditKey(writer, this.#auditKey);
      const done = await work(writer);
      announced = this.signals.announcedIn(writer);
      return done;
    });
    if (announced) this.signals.tell();
    return result;
  }

  rowTransaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  expire(beforeMs: number): Promise<number> {
    return expireInBatches(this, beforeMs);
  }

  async ping(): Promise<void> {
    await Promise.all([this.#writer.ask({ kind: 'ping' }), this.#reader.ask({ kind: 'ping' })]);
  }

  async ingest(region: SpoolRegion): Promise<Ingested> {
    const endTurn = await this.#turns.take();
    try {
      const { ingested } = await this.#writer.ask({ kind: 'ingest', region });
      if (!ingested) throw new Error('The writer answered an ingest without its counts');
      return ingested;
    } catch (error) {
      throw error instanceof RequestFailed ? statementError(error.failure, `ingest ${region.path}`) : error;
    } finally {
      endTurn();
    }
  }

  async keepBeats(beats: readonly QuietBeats[]): Promise<readonly boolean[]> {
    const request = { kind: 'beats', beats: beats.map(quietValues) } as const;
    const endTurn = await this.#turns.take();
    try {
      const { kept } = await this.#writer.ask(request);
      if (!kept) throw new Error('The writer answered beats without saying what it kept');
      return kept;
    } catch (error) {
      throw error instanceof RequestFailed ? statementError(error.failure, 'keep beats') : error;
    } finally {
      endTurn();
    }
  }

  async close(): Promise<void> {
    const endTurn = await this.#turns.take();
    await this.#reader.close();
    // Last, and alone: the connection that closes last folds the write-ahead log into the file.
    await this.#writer.close();
    endTurn();
  }
}

async function openThread(thread: WorkerThread, path: string, role: Role): Promise<void> {
  try {
    await thread.ask({ kind: 'open', path, role });
  } catch (error) {
    if (error instanceof RequestFailed)
      throw new StoreUnusable(openingError(path, error.failure), { cause: error });
    throw error;
  }
}

/** Makes the file, readable by its owner alone; SQLite gives its side files the same mode. */
async function prepareFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory())
    throw new StoreUnusable(`${path} is a directory; storage.database wants the path of a file in it.`);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, 'a', 0o600)).close();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnusable(`Cannot write the database ${path}: ${reason}`, { cause });
  }
}

async function keepCopy(
  { database, writer, path }: { database: SqliteDatabase; writer: WorkerThread; path: string },
  number: number,
  parts: CopyParts,
): Promise<void> {
  const { to, purpose } = copyBefore(path, number);
  const { rows } = await database.transaction((one) => sql.raw<{ bytes: number }>(COPY_BYTES).execute(one));
  const bytes = rows[0]?.bytes ?? 0;
  const write = (unfinished: string) => writer.ask({ kind: 'copy', to: unfinished });
  await makeWhole({ from: path, to, bytes, purpose, write }, parts);
}

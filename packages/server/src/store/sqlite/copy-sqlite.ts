import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { FatalError } from '../../core/fatal-error.ts';
import type { AppliedMigration } from '../migrations/migration-history.ts';
import {
  createDatabaseCopyError,
  DATABASE_COPY_SIZE_SQL,
  type DatabaseCopyDependencies,
  writeDatabaseCopy,
} from './database-copy.ts';
import { isSqliteBusyError } from './sqlite-errors.ts';

/**
 * Writes a consistent copy of a database that may be in use: either the complete copy or nothing. Replaces an
 * existing file. Blocks the event loop, so only command-line commands may use it.
 *
 * @throws FatalError if `from` is not a database, or `to` does not fit on the disk or cannot be written
 */
export async function copySqliteDatabase(
  from: string,
  to: string,
  parts: DatabaseCopyDependencies,
): Promise<void> {
  const source = openForCopy({ from, to, isExclusive: false });
  try {
    await writeCopyOf(source, { from, to }, parts);
  } finally {
    source.close();
  }
}

/**
 * Writes a copy of a database that no process uses, as `copySqliteDatabase` does. Until the result is closed, no
 * process can use the database.
 *
 * @throws FatalError also if a process is using the database
 */
export async function copyUnusedSqliteDatabase(
  from: string,
  to: string,
  parts: DatabaseCopyDependencies,
): Promise<{ close(): void }> {
  const source = openForCopy({ from, to, isExclusive: true });
  try {
    await writeCopyOf(source, { from, to }, parts);
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

interface CopyPaths {
  readonly from: string;
  readonly to: string;
}

function openForCopy({ from, to, isExclusive }: CopyPaths & { readonly isExclusive: boolean }): DatabaseSync {
  if (!existsSync(from)) throw new FatalError(`No database exists at ${from}. Check the path.`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(from, { readOnly: !isExclusive, timeout: isExclusive ? 0 : 30_000 });
    // Fails if another process has opened the database, even if that process is idle. The mode keeps the lock.
    if (isExclusive) database.exec('pragma locking_mode = exclusive; begin exclusive; commit');
    return database;
  } catch (cause) {
    database?.close();
    if (isExclusive && isSqliteBusyError(cause))
      throw new FatalError(
        `Another process is using ${from}. Nothing was copied. Stop the Floe server that uses this database, and run the command again.`,
        { cause },
      );
    throw createDatabaseCopyError(from, to, cause);
  }
}

async function writeCopyOf(
  source: DatabaseSync,
  paths: CopyPaths,
  parts: DatabaseCopyDependencies,
): Promise<void> {
  try {
    const bytes = Number(source.prepare(DATABASE_COPY_SIZE_SQL).get()?.['bytes']);
    const write = (unfinished: string) => source.prepare('vacuum into ?').run(unfinished);
    await writeDatabaseCopy({ ...paths, bytes, write }, parts);
  } catch (cause) {
    throw cause instanceof FatalError ? cause : createDatabaseCopyError(paths.from, paths.to, cause);
  }
}

/** The state of a database file. */
export interface SqliteInspection {
  /** The applied migrations. Empty for a database of another program. */
  readonly applied: readonly AppliedMigration[];
  /** Expected size of a copy in bytes. */
  readonly copyBytes: number;
}

/**
 * Inspects a database file and changes nothing.
 *
 * @throws FatalError if it is corrupted or not a SQLite database
 */
export function inspectSqliteFile(path: string): SqliteInspection {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 30_000 });
    try {
      const check = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
      if (check !== 'ok') throw new Error(String(check));
      const table = database.prepare(`select 1 from sqlite_schema where name = 'migrations'`).get();
      // All columns, because an older database does not have the newest one.
      const rows = table ? database.prepare('select * from migrations').all() : [];
      const applied = rows.map(({ number, name, compatible_from: from }) => ({
        number: Number(number),
        name: String(name),
        compatibleFrom: typeof from === 'number' ? from : null,
      }));
      return { applied, copyBytes: Number(database.prepare(DATABASE_COPY_SIZE_SQL).get()?.['bytes']) };
    } finally {
      database.close();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(
      `${path} cannot be read, is corrupted, or is not a SQLite database: ${reason}. Check the path and the permissions of the file, or use another copy or backup.`,
      { cause },
    );
  }
}

import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import type { Log } from '../../core/log.ts';

/**
 * The SQL query that returns the size of a copy of the database in bytes. The size includes all pages except free
 * ones.
 */
export const DATABASE_COPY_SIZE_SQL = `select (select page_count from pragma_page_count) * 1.0
  * (select page_size from pragma_page_size)
  - (select freelist_count from pragma_freelist_count) * 1.0 * (select page_size from pragma_page_size) as bytes`;

/**
 * The suffixes of the files in which SQLite keeps changes to a database. SQLite applies such a file to whatever database
 * file has the same name. A database file must therefore not get a name for which such a file still exists.
 */
export const SQLITE_LOG_SUFFIXES = ['-wal', '-shm', '-journal'] as const;

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** The dependencies for writing a database copy. */
export interface DatabaseCopyDependencies {
  readonly log: Log;
  readonly clock: Clock;
  /** Returns the free bytes on the disk of a directory. Only tests set it. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

/** The source, the destination and the purpose of a database copy. */
export interface DatabaseCopyRequest {
  readonly from: string;
  readonly to: string;
  /** Expected size, from `DATABASE_COPY_SIZE_SQL`. */
  readonly bytes: number;
  /** The purpose, for error messages. */
  readonly purpose?: string;
  /** Writes the copy to the empty file at this temporary path. This may take minutes. */
  write(unfinished: string): unknown;
}

/**
 * Creates a copy that only its owner can read, also while it is written. The copy gets its final name when it is
 * complete and on disk. Deletes incomplete copies of killed processes.
 * @throws FatalError if there is not enough space (before anything is written), or if the copy cannot
 * be written
 */
export async function writeDatabaseCopy(
  { from, to, bytes, purpose = '', write }: DatabaseCopyRequest,
  { log, clock, freeBytes = readFreeBytes }: DatabaseCopyDependencies,
): Promise<void> {
  const unfinished = `${to}.part`;
  const started = clock.monotonic();
  try {
    await rm(unfinished, { force: true });
    const free = await requireFreeSpace(to, bytes, freeBytes);
    const places = { from, to, bytes, free_bytes: free };
    log.info(places, `copying the database${purpose}; a large database can take several minutes`);
    // SQLite keeps the mode of an empty file.
    await (await open(unfinished, 'wx', 0o600)).close();
    await write(unfinished);
    const file = await open(unfinished, 'r+');
    await file.sync();
    await file.close();
    for (const suffix of SQLITE_LOG_SUFFIXES) await rm(`${to}${suffix}`, { force: true });
    await rename(unfinished, to);
    log.info({ to, duration_ms: Math.round(clock.monotonic() - started) }, 'database was copied');
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw createDatabaseCopyError(from, to, cause, purpose);
  }
}

/**
 * Returns the path for the copy that is made before the migration with this number, and the purpose
 * of the copy.
 */
export function planMigrationCopy(
  path: string,
  number: number,
): Pick<DatabaseCopyRequest, 'to'> & { readonly purpose: string } {
  return { to: `${path}.before-${number}`, purpose: ' before the migration' };
}

/**
 * Returns the path that a restored database has until it replaces the previous one. If a file has this path and the
 * database is missing, a restore was interrupted.
 */
export function getRestoredCopyPath(path: string): string {
  return `${path}.restored`;
}

/**
 * Requires enough free space for a copy at `to`. Returns the free bytes, or null if the system does
 * not report them.
 *
 * @throws Error if there is not enough space
 */
export async function requireFreeSpace(
  to: string,
  bytes: number,
  freeBytes = readFreeBytes,
): Promise<number | null> {
  const free = await freeBytes(dirname(to)).catch(() => null);
  if (free !== null && free < bytes)
    throw new Error(
      `the copy needs ${formatBytes(bytes)}, but ${dirname(to)} has only ${formatBytes(free)} free. Free up disk space, and try again.`,
    );
  return free;
}

/** Returns the error for a copy that failed. It contains the cause. */
export function createDatabaseCopyError(from: string, to: string, cause: unknown, purpose = ''): FatalError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FatalError(`Cannot copy ${from} to ${to}${purpose}: ${reason}`, { cause });
}

async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)));
  return `${Math.round(bytes / 1000 ** step)} ${UNITS[step]}`;
}

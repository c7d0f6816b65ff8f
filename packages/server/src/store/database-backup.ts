import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FatalError } from '../core/fatal-error.ts';
import { planMigrations } from './migrations/plan-migrations.ts';
import { isPostgresUrl, resolveSqlitePath } from './open-database.ts';
import { lockInstallation } from './process-directories.ts';
import { deleteSecretKeyFingerprint } from './secret-key.ts';
import { copySqliteDatabase, inspectSqliteFile } from './sqlite/copy-sqlite.ts';
import {
  type DatabaseCopyDependencies,
  getRestoredCopyPath,
  SQLITE_LOG_SUFFIXES,
} from './sqlite/database-copy.ts';

/** An installation's database URL and data directory. */
export interface DatabaseLocation {
  /** `storage.database`. */
  readonly url: string;
  readonly dataDir: string;
}

/**
 * Requires that a SQLite database exists. Otherwise, a command in the wrong directory would create an empty
 * installation and report success.
 *
 * @throws FatalError if there is no database
 */
export function requireExistingDatabase({ url, dataDir }: DatabaseLocation): void {
  const path = isPostgresUrl(url) ? null : resolveSqlitePath(url, dataDir);
  if (path !== null && !existsSync(path))
    throw new FatalError(
      `No database exists at ${path}. Start the server once to create it, or set FLOE_DATA_DIR to the data directory of the server.`,
    );
}

/**
 * Copies the SQLite database to `file`. You can copy the database while a server is using it. With `force`, the
 * copy replaces an existing file when it is complete.
 *
 * @throws FatalError if `file` already exists and `force` is not given, if it is the database itself, or
 * if the copy does not fit on the disk or cannot be written. Also thrown for PostgreSQL, because it has its own
 * backup tool.
 */
export async function backupDatabase(
  { url, dataDir }: DatabaseLocation,
  file: string,
  options: DatabaseCopyDependencies & { readonly force?: boolean },
): Promise<void> {
  if (isPostgresUrl(url))
    throw new FatalError(
      `Floe does not back up PostgreSQL. Run: pg_dump --format=custom --file=${file} "$FLOE_DATABASE_URL"`,
    );
  const [from, to] = [resolveSqlitePath(url, dataDir), resolve(file)];
  if (existsSync(from) && existsSync(to)) {
    if (realpathSync(from) === realpathSync(to))
      throw new FatalError(`${to} is the database itself. Choose another file.`);
    if (!options.force)
      throw new FatalError(`${to} already exists. Use --force to replace it, or choose another file.`);
  }
  await copySqliteDatabase(from, to, options);
}

/** The result of restoring a database from a backup. */
export interface DatabaseRestoreResult {
  readonly path: string;
  /** Path of the previous database. Null if there was none. */
  readonly safetyCopy: string | null;
}

/**
 * Replaces the SQLite database with a backup. With `force`, replaces an existing database and keeps a copy of
 * it.
 * @throws FatalError if a server is running, if a database exists and `force` is not given, or if the
 * file is damaged, is not a backup, or was created by a newer version of Floe. Also thrown for PostgreSQL.
 */
export async function restoreDatabase(
  { url, dataDir }: DatabaseLocation,
  file: string,
  options: DatabaseCopyDependencies & { readonly force: boolean; readonly nowMs: number },
): Promise<DatabaseRestoreResult> {
  if (isPostgresUrl(url))
    throw new FatalError(
      `Floe does not restore PostgreSQL backups. Create an empty database, set FLOE_DATABASE_URL to its URL, and run: pg_restore --dbname="$FLOE_DATABASE_URL" ${file}`,
    );
  const path = resolveSqlitePath(url, dataDir);
  const lock = lockInstallation(dataDir);
  try {
    const { applied } = inspectSqliteFile(resolve(file));
    const newest = Math.max(0, ...applied.map(({ number }) => number));
    if (newest === 0)
      throw new FatalError(`${file} is not a Floe database. Specify a file that "floe backup" created.`);
    planMigrations(applied);
    const isThere = existsSync(path);
    if (isThere && !options.force)
      throw new FatalError(
        `${path} already exists. Use --force to rename it and restore the backup in its place.`,
      );
    const arriving = getRestoredCopyPath(path);
    if (!isThere && existsSync(arriving)) await finishMoveAside(path);
    await rm(arriving, { force: true });
    await copySqliteDatabase(resolve(file), arriving, options);
    const safetyCopy = `${path}.before-restore-${formatTimestamp(options.nowMs)}`;
    await moveAside(path, safetyCopy);
    await rename(arriving, path);
    deleteSecretKeyFingerprint(dataDir);
    return { path, safetyCopy: isThere ? safetyCopy : null };
  } finally {
    lock.release();
  }
}

/**
 * Moves a SQLite file, if it exists, and its logs. The logs contain the last commits of a killed process. The file is
 * moved first, so that no process opens it without its logs.
 */
async function moveAside(path: string, to: string): Promise<void> {
  for (const suffix of ['', ...SQLITE_LOG_SUFFIXES])
    if (existsSync(`${path}${suffix}`)) await rename(`${path}${suffix}`, `${to}${suffix}`);
}

/**
 * After an interrupted restore, moves the remaining logs to its safety copy, which is the newest one. SQLite finds the
 * logs only if their names contain the same timestamp as the copy.
 */
async function finishMoveAside(path: string): Promise<void> {
  const prefix = `${basename(path)}.before-restore-`;
  const copies = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(prefix) && /^\d{8}T\d{6}Z$/.test(name.slice(prefix.length)),
  );
  const newest = copies.toSorted().at(-1);
  if (newest !== undefined && !existsSync(join(dirname(path), `${newest}-wal`)))
    await moveAside(path, join(dirname(path), newest));
}

/** Formats a time as `20261121T120000Z`. */
function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
}

import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FatalError } from '../core/fatal-error.ts';
import { createPrivateDirectory } from './create-private-directory.ts';
import { isSqliteBusyError } from './sqlite/sqlite-errors.ts';

/** Keeps references, so that garbage collection of a handle does not release the lock. */
const openLocks = new Set<DatabaseSync>();

/** The lock on a data directory. */
export interface DataDirLock {
  release(): void;
}

/**
 * Locks the data directory for this process. Creates the directory if it is missing. The lock is an
 * exclusive SQLite transaction on `floe.lock`. When the process ends, the operating system releases
 * the lock.
 *
 * @throws FatalError if another process has the lock or the directory cannot be created
 */
export function lockDataDir(dataDir: string): DataDirLock {
  let lock: DatabaseSync;
  try {
    createPrivateDirectory(dataDir);
    const path = join(dataDir, 'floe.lock');
    // SQLite would create the file with the default mode of the process.
    closeSync(openSync(path, 'a', 0o600));
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    lock = new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(
      `Cannot write to the data directory ${dataDir}: ${reason}. Correct the permissions, or set FLOE_DATA_DIR to a directory that Floe can create and write to.`,
      { cause },
    );
  }
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if (isSqliteBusyError(cause))
      throw new FatalError(
        `Another Floe process is using the data directory ${dataDir}. Stop that process, or set FLOE_DATA_DIR to another directory.`,
        { cause },
      );
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(
      `Cannot lock the data directory ${dataDir}: ${reason}. Use a directory on a file system that supports locks.`,
      { cause },
    );
  }
  openLocks.add(lock);
  return {
    release() {
      if (openLocks.delete(lock)) lock.close();
    },
  };
}

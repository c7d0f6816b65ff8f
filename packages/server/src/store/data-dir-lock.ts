import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusyError } from './sqlite/sqlite-errors.ts';
import { StoreUnusableError } from './store-unusable-error.ts';

/** Held here so that no caller who drops its handle loses the lock to garbage collection. */
const openLocks = new Set<DatabaseSync>();

export interface DataDirLock {
  release(): void;
}

/**
 * Takes the data directory for this process, making it when it is missing. The lock is an exclusive
 * SQLite transaction on `floe.lock`: the operating system ends it with the process, however it dies.
 *
 * @throws StoreUnusableError when another process holds it, or when it cannot be made.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  let lock: DatabaseSync;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const path = join(dataDir, 'floe.lock');
    // SQLite would make it with the mode of the process; a file made otherwise gets this one.
    closeSync(openSync(path, 'a', 0o600));
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    lock = new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnusableError(`Cannot write the data directory ${dataDir}: ${reason}`, { cause });
  }
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if (isBusyError(cause))
      throw new StoreUnusableError(
        `Another Floe process is using the data directory ${dataDir}. Stop it, or set FLOE_DATA_DIR to another directory.`,
        { cause },
      );
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnusableError(`Cannot lock the data directory ${dataDir}: ${reason}`, { cause });
  }
  openLocks.add(lock);
  return {
    release() {
      if (openLocks.delete(lock)) lock.close();
    },
  };
}

import { Fault } from '@floe/contract/faults';
import type { SqliteWorkerFailure } from './worker-protocol.ts';

/**
 * SQLite's primary result codes (https://sqlite.org/rescode.html), which are the low byte of an extended
 * result code.
 */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NOTADB = 26;

const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

function primaryCode(code: number): number {
  return code & 0xff;
}

/** Returns SQLite's extended result code for an error from `node:sqlite`; null for other errors. */
export function getSqliteResultCode(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}

/** Returns whether the error means that another connection has the requested lock. */
export function isSqliteBusyError(error: unknown): boolean {
  const code = getSqliteResultCode(error);
  return code !== null && primaryCode(code) === BUSY;
}

/** Returns whether the row's data caused the error, so that a retry cannot succeed. */
export function isSqliteRowError(error: unknown): boolean {
  const code = getSqliteResultCode(error);
  if (code !== null) return primaryCode(code) === CONSTRAINT || primaryCode(code) === MISMATCH;
  return error instanceof TypeError;
}

/**
 * Converts a statement error to a `Fault` if a row already exists (`conflict`) or the database is unavailable
 * (`overloaded`). Otherwise, adds the statement to its message. The cause has the result code.
 */
export function toSqliteStatementError(failure: SqliteWorkerFailure, sql: string): Error {
  const cause = Object.assign(new Error(failure.message), { errcode: failure.code });
  if (failure.code === CONSTRAINT_UNIQUE || failure.code === CONSTRAINT_PRIMARYKEY)
    return new Fault('conflict', 'The resource already exists.', { cause });
  const reason = failure.code === null ? null : describeOutage(failure.code);
  if (reason !== null) return new Fault('overloaded', reason, { cause, retryAfterMs: 1000 });
  return new Error(`${failure.message} (in: ${sql})`, { cause });
}

/** Returns why the database is unavailable, for result codes about the file or the disk; otherwise null. */
function describeOutage(code: number): string | null {
  switch (primaryCode(code)) {
    case BUSY:
    case LOCKED:
      return 'The database is locked by another program. Retry the request.';
    case FULL:
      return 'The disk that holds the database is full. Free up disk space, then retry the request.';
    case READONLY:
    case CANTOPEN:
    case IOERR:
      return 'The database file cannot be read or written. Check the disk and the permissions of the file.';
    case CORRUPT:
    case NOTADB:
      return 'The database file is damaged. Restore a backup.';
    default:
      return null;
  }
}

/** Returns a one-line message for the operator about a file that could not be opened. */
export function describeSqliteOpenError(path: string, failure: SqliteWorkerFailure): string {
  const code = failure.code === null ? null : primaryCode(failure.code);
  if (code === NOTADB || code === CORRUPT)
    return `${path} is corrupted or not a SQLite database (${failure.message}). Restore a backup, or move the file away to start with an empty database.`;
  if (code === FULL) return `The disk that holds ${path} is full. Free up disk space, then try again.`;
  if (code === BUSY || code === LOCKED)
    return `${path} is locked by another program. End that program, then try again.`;
  return `Cannot open the database ${path}: ${failure.message}. Check that the user that runs Floe can write to the directory.`;
}

import { Fault } from '@floe/contract/faults';

/**
 * The SQLSTATE for a duplicate value. All codes:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const UNIQUE_VIOLATION = '23505';
/** The SQLSTATEs for U+0000 in text and in JSON, which PostgreSQL cannot store. */
const INVALID_CHARACTER_CODES: ReadonlySet<string | null> = new Set(['22021', '22P05']);

/** The SQLSTATE for a write to a server that accepts only reads, such as a standby. */
const READ_ONLY = '25006';
const DISK_FULL = '53100';

/** The reasons for SQLSTATE codes and classes (the first two characters) of an unavailable server. */
const OUTAGE_REASONS: Readonly<Record<string, string>> = {
  '08': 'The database connection was lost.',
  [READ_ONLY]: 'The database is read-only, possibly because of a failover.',
  '25P03': 'The database ended a transaction because this process did not continue it in time.',
  '40': 'The transaction was aborted because of a conflict with another transaction.',
  '53': 'The database has run out of connections, memory or disk space.',
  '55P03': 'Another transaction holds a lock that the statement needs.',
  '57': 'The database is shutting down, or a statement timed out.',
  '58': 'The database server cannot access its files.',
};

/** Matches the codes of Node.js for connection errors. */
const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_|EADDRNOTAVAIL|ENOENT)/;

/** Matches the messages of the client and the pool of `pg`, which have no error codes. */
const PG_CLIENT_ERRORS =
  /timeout|Connection terminated|Client has encountered a connection error|not queryable/i;

/** Returns an error's SQLSTATE or system error code. Null if the error has no code. */
export function getPostgresErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Returns why the database is unavailable. Null if the statement itself caused the error. */
export function describePostgresOutage(error: unknown): string | null {
  const code = getPostgresErrorCode(error);
  if (code !== null) {
    const known =
      OUTAGE_REASONS[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? OUTAGE_REASONS[code.slice(0, 2)] : undefined);
    if (known !== undefined) return known;
    return UNREACHABLE.test(code) ? 'The database cannot be reached.' : null;
  }
  return error instanceof Error && PG_CLIENT_ERRORS.test(error.message)
    ? 'The database does not respond.'
    : null;
}

/** The SQLSTATEs of a server that cannot store anything: read-only, disk full, and system errors. */
const WRITE_FAILURES = /^(25006|53100|58...)$/;

/** Returns why the server cannot store anything. Null for other errors. */
export function describePostgresWriteFailure(error: unknown): string | null {
  const cause = error instanceof Fault ? error.cause : error;
  const code = getPostgresErrorCode(cause);
  if (code === null || !WRITE_FAILURES.test(code)) return null;
  return code === DISK_FULL ? 'The disk of the database server is full.' : describePostgresOutage(cause);
}

/**
 * Returns whether the error means that the server accepts only reads. Floe uses no read-only transactions, so the error
 * has no other cause.
 */
export function isReadOnlyServerError(error: unknown): boolean {
  return getPostgresErrorCode(error) === READ_ONLY;
}

/**
 * The SQLSTATE of a violated check constraint. Floe has no check constraints, so this error means that a row
 * has no partition.
 */
const CHECK_VIOLATION = '23514';

/**
 * Returns whether the error means that a row's partition is missing. Another process may have
 * dropped the partition.
 */
export function isMissingPartitionError(error: unknown): boolean {
  return getPostgresErrorCode(error) === CHECK_VIOLATION;
}

/**
 * Returns whether the row's data caused the error (classes 22, 23 and 54), so that a retry cannot
 * succeed. Class 54 means that a value is too large, such as for an index.
 */
export function isPostgresRowError(error: unknown): boolean {
  return /^(?:2[23]|54)...$/.test(getPostgresErrorCode(error) ?? '') && !isMissingPartitionError(error);
}

/**
 * Converts a statement error to a `Fault` if a retry can succeed or the caller caused the error. Otherwise,
 * adds the statement to its message.
 */
export function toPostgresStatementError(error: unknown, sql: string): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error;
  if (getPostgresErrorCode(error) === UNIQUE_VIOLATION)
    return new Fault('conflict', 'The resource already exists.', { cause: error });
  if (INVALID_CHARACTER_CODES.has(getPostgresErrorCode(error)))
    return new Fault('invalid_request', 'Text must not contain the character U+0000.', { cause: error });
  const reason = describePostgresOutage(error);
  if (reason !== null)
    return new Fault('overloaded', `${reason} Retry the request.`, { cause: error, retryAfterMs: 1000 });
  return new Error(`${error.message} (in: ${sql})`, { cause: error });
}

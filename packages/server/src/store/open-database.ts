import type { KeyObject } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { FatalError } from '../core/fatal-error.ts';
import type { Log } from '../core/log.ts';
import type { CoordinatorClient } from './coordinator/coordinator-client.ts';
import type { DatabaseObserver } from './database-timer.ts';
import type { Migration } from './migrations/migration.ts';
import type { BeatStore } from './monitoring/uneventful-beats.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import type { Database } from './store-interfaces.ts';

/** A database that also has the specialized write methods for beats. */
export type DatabaseWithBeatStore = Database & BeatStore;

export interface OpenDatabaseOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  /** The result of `deriveAuditKey`. Commands that write no audit entries may omit it. */
  readonly auditKey?: KeyObject | undefined;
  /** Receives the durations of database operations. */
  readonly observe?: DatabaseObserver | undefined;
  /** The migrations of the release. Only tests set it. */
  readonly migrations?: readonly Migration[];
  /** Whether to run contract migrations even while processes of older releases use the database. */
  readonly force?: boolean;
  /** Set if several processes of one server use the same SQLite file. Not used for PostgreSQL. */
  readonly coordinator?: CoordinatorClient | undefined;
}

/** Returns whether a database URL refers to PostgreSQL. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/**
 * Opens the database at a URL: `sqlite:<path>`, `sqlite:` for `floe.db` in the data directory, or
 * `postgres://user:password@host:port/database`. Creates the tables and runs pending migrations.
 *
 * @throws FatalError with a one-line message for the operator
 */
export async function openDatabase(
  url: string,
  options: OpenDatabaseOptions,
): Promise<DatabaseWithBeatStore> {
  if (!isPostgresUrl(url)) return openSqlite(resolveSqlitePath(url, options.dataDir), options);
  // Loaded on demand, because most installations do not use PostgreSQL.
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(url, options);
}

/**
 * Returns the absolute file path of a `sqlite:` URL. If the URL has no path, returns `floe.db` in `dataDir`.
 * @throws FatalError for `sqlite::memory:` and other schemes
 */
export function resolveSqlitePath(url: string, dataDir: string): string {
  const path = /^sqlite:(?!:memory:)(.*)$/s.exec(url)?.[1];
  if (path === undefined)
    throw new FatalError(
      'storage.database (or FLOE_DATABASE_URL) must be sqlite:<file path> or postgres://user:password@host:port/database. Example: sqlite:./.floe/floe.db',
    );
  return path === '' ? join(dataDir, 'floe.db') : resolve(path);
}

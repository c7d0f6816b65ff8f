import type { KeyObject } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Migration } from './migrations/migration.ts';
import type { BeatStore } from './monitoring/optimistic-beats.ts';
import type { Database } from './ports.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { StoreUnusableError } from './store-unusable-error.ts';

/** A relational store with everything that is written to it in ways of its own. */
export type DatabaseWithBeats = Database & BeatStore;

export interface OpenDatabaseOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  /** `deriveAuditKey` of the secret key; only what adds no entry to the audit log goes without. */
  readonly auditKey?: KeyObject | undefined;
  /** The program's own list unless a test passes another. */
  readonly migrations?: readonly Migration[];
}

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/**
 * Opens the store a URL names: `sqlite:<path of a file>`, `sqlite:` for `floe.db` in the data directory, or
 * `postgres://user:password@host:port/database`. Makes its tables and brings them up to date.
 *
 * @throws StoreUnusableError with one line for the operator.
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions): Promise<DatabaseWithBeats> {
  if (!isPostgresUrl(url)) return openSqlite(resolveSqlitePath(url, options.dataDir), options);
  // A driver that most installations never use is not read at their start.
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(url, options);
}

/** Path of the file that a `sqlite:` URL names. @throws StoreUnusableError for any other URL. */
export function resolveSqlitePath(url: string, dataDir: string): string {
  const path = /^sqlite:(?!:memory:)(.*)$/s.exec(url)?.[1];
  if (path === undefined)
    throw new StoreUnusableError(
      'storage.database must be sqlite:<file path> or postgres://user:password@host:port/database. Example: sqlite:./.floe/floe.db',
    );
  return path === '' ? join(dataDir, 'floe.db') : resolve(path);
}

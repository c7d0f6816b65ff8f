import type { KeyObject } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Migration } from './migrations/migration.ts';
import type { BeatStore } from './monitoring/quiet-beats.ts';
import type { Database } from './ports.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { StoreUnusable } from './store-unusable.ts';

/** A relational store with everything that is written to it in ways of its own. */
export type Store = Database & BeatStore;

export interface OpenDatabaseOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  /** `deriveAuditKey` of the secret key; only what adds no entry to the audit log goes without. */
  readonly auditKey?: KeyObject | undefined;
  /** The program's own list unless a test passes another. */
  readonly migrations?: readonly Migration[];
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/**
 * Opens the store a URL names: `sqlite:<path of a file>`, `sqlite:` for `floe.db` in the data directory, or
 * `postgres://user:password@host:port/database`. Makes its tables and brings them up to date.
 *
 * @throws StoreUnusable with one line for the operator.
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions): Promise<Store> {
  if (!isPostgres(url)) return openSqlite(sqlitePath(url, options.dataDir), options);
  // A driver that most installations never use is not read at their start.
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(url, options);
}

/** Path of the file that a `sqlite:` URL names. @throws StoreUnusable for any other URL. */
export function sqlitePath(url: string, dataDir: string): string {
  const path = /^sqlite:(?!:memory:)(.*)$/s.exec(url)?.[1];
  if (path === undefined)
    throw new StoreUnusable(
      'storage.database wants sqlite:<path of a file>, as sqlite:./.floe/floe.db, or postgres://user:password@host:port/database',
    );
  return path === '' ? join(dataDir, 'floe.db') : resolve(path);
}

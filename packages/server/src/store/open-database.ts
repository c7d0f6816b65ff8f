import { join, resolve } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Database } from './ports.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { StoreUnusable } from './store-unusable.ts';

export interface OpenDatabaseOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Opens the store a URL names: `sqlite:<path of a file>`, or `sqlite:` for `floe.db` in the data
 * directory. Makes it and brings its tables up to date.
 *
 * @throws StoreUnusable with one line for the operator.
 */
export function openDatabase(url: string, options: OpenDatabaseOptions): Promise<Database> {
  const path = /^sqlite:(?!:memory:)(.*)$/s.exec(url)?.[1];
  if (path === undefined)
    return Promise.reject(
      new StoreUnusable('storage.database wants "sqlite:" and the path of a file, as sqlite:./.floe/floe.db'),
    );
  return openSqlite(path === '' ? join(options.dataDir, 'floe.db') : resolve(path), options);
}

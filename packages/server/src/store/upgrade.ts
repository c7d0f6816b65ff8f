import { existsSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { StorePlace } from './backup.ts';
import { lockDataDir } from './lock.ts';
import { MIGRATIONS } from './migrations/all.ts';
import type { Migration } from './migrations/migration.ts';
import { isPostgres, openDatabase, sqlitePath } from './open-database.ts';
import { appliedOnPostgres } from './postgres/applied.ts';
import { inspectSqlite } from './sqlite/copy-file.ts';
import { StoreUnusable } from './store-unusable.ts';

/**
 * Migrations the database still lacks; changes nothing.
 *
 * @throws StoreUnusable when it cannot be read, or a newer program made it.
 */
export async function plannedMigrations({ url, dataDir }: StorePlace): Promise<readonly Migration[]> {
  const applied = isPostgres(url) ? await appliedOnPostgres(url) : appliedOnSqlite(sqlitePath(url, dataDir));
  const known = MIGRATIONS.at(-1)?.number ?? 0;
  if (applied > known)
    throw new StoreUnusable(
      `The database was made by a newer Floe (migration ${applied}; this one knows ${known}). Run that version, or restore a copy from before the upgrade.`,
    );
  return MIGRATIONS.filter(({ number }) => number > applied);
}

function appliedOnSqlite(path: string): number {
  return existsSync(path) ? inspectSqlite(path) : 0;
}

/**
 * Brings the tables up to this program, as a start would; a SQLite file in use is copied first.
 *
 * @throws StoreUnusable as `openDatabase`, and when a server runs on the data directory.
 */
export async function upgrade(
  place: StorePlace,
  parts: { readonly log: Log; readonly clock: Clock },
): Promise<readonly Migration[]> {
  // PostgreSQL is locked by the migrations themselves, for processes on other machines.
  const lock = isPostgres(place.url) ? null : lockDataDir(place.dataDir);
  try {
    const planned = await plannedMigrations(place);
    const database = await openDatabase(place.url, { ...parts, dataDir: place.dataDir });
    await database.close();
    return planned;
  } finally {
    lock?.release();
  }
}

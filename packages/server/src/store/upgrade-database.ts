import { existsSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { lockDataDir } from './data-dir-lock.ts';
import type { DatabaseLocation } from './database-backup.ts';
import type { Migration } from './migrations/migration.ts';
import { planMigrations } from './migrations/plan-migrations.ts';
import { isPostgresUrl, openDatabase, resolveSqlitePath } from './open-database.ts';
import { readAppliedPostgresMigrations } from './postgres/applied-migrations.ts';
import { inspectSqliteFile } from './sqlite/copy-sqlite.ts';
import {
  buildMigrationCopyPath,
  createCopyFailedError,
  type DatabaseCopyOptions,
  requireFreeSpace,
} from './sqlite/database-copy.ts';

/** What Floe would change in the database when it starts. */
export interface UpgradePlan {
  readonly migrations: readonly Migration[];
  /** Path of the copy that would be written first. Null if there is nothing to copy, and for PostgreSQL. */
  readonly copy: string | null;
}

interface PlanUpgradeOptions extends Pick<DatabaseCopyOptions, 'freeBytes'> {
  /** Replaced only in tests. */
  readonly migrations?: readonly Migration[];
}

/**
 * Reports what Floe would change in the database when it starts. Changes nothing.
 *
 * @throws StoreUnusableError if Floe could not start: the database cannot be read, a newer program
 * or another build migrated it, or the copy does not fit on the disk
 */
export async function planUpgrade(
  { url, dataDir }: DatabaseLocation,
  { freeBytes, migrations: known }: PlanUpgradeOptions = {},
): Promise<UpgradePlan> {
  if (isPostgresUrl(url))
    return { migrations: planMigrations(await readAppliedPostgresMigrations(url), known), copy: null };
  const path = resolveSqlitePath(url, dataDir);
  if (!existsSync(path)) return { migrations: planMigrations([], known), copy: null };
  const { applied, copyBytes } = inspectSqliteFile(path);
  const migrations = planMigrations(applied, known);
  const [first] = migrations;
  if (!first || applied.length === 0) return { migrations, copy: null };
  const { to, purpose } = buildMigrationCopyPath(path, first.number);
  await requireFreeSpace(to, copyBytes, freeBytes).catch((error: unknown) => {
    throw createCopyFailedError(path, to, error, purpose);
  });
  return { migrations, copy: to };
}

/**
 * Runs the pending migrations in the same way as Floe's startup. First copies a SQLite file that is
 * in use.
 *
 * @throws StoreUnusableError as `openDatabase`, and if a server uses the data directory
 */
export async function upgradeDatabase(
  place: DatabaseLocation,
  parts: { readonly log: Log; readonly clock: Clock; readonly migrations?: readonly Migration[] },
): Promise<UpgradePlan> {
  // PostgreSQL needs no lock of the directory, because the migrations lock the database.
  const lock = isPostgresUrl(place.url) ? null : lockDataDir(place.dataDir);
  try {
    const planned = await planUpgrade(place, parts);
    const database = await openDatabase(place.url, { ...parts, dataDir: place.dataDir });
    await database.close();
    return planned;
  } finally {
    lock?.release();
  }
}

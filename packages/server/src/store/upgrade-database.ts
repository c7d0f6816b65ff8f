import { existsSync } from 'node:fs';
import { type Clock, systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { DatabaseLocation } from './database-backup.ts';
import type { Migration } from './migrations/migration.ts';
import type { AppliedMigration } from './migrations/migration-history.ts';
import { planMigrations } from './migrations/plan-migrations.ts';
import { isPostgresUrl, openDatabase, resolveSqlitePath } from './open-database.ts';
import { readPostgresMigrationState } from './postgres/postgres-migration-state.ts';
import { lockInstallation } from './process-directories.ts';
import { countOlderProcesses } from './replicas.ts';
import { inspectSqliteFile } from './sqlite/copy-sqlite.ts';
import {
  createDatabaseCopyError,
  type DatabaseCopyDependencies,
  planMigrationCopy,
  requireFreeSpace,
} from './sqlite/database-copy.ts';

/** A pending migration. */
export interface PendingMigration extends Pick<Migration, 'number' | 'name'> {
  /**
   * Compatibility of the migration. `expand`: the previous release works with the migrated database.
   * `contract`: it does not. Null for an empty database.
   */
  readonly kind: 'expand' | 'contract' | null;
}

/** What Floe would change in the database at its next start. */
export interface DatabaseUpgradePlan {
  readonly migrations: readonly PendingMigration[];
  /** Number of running processes that do not work with the migrated database. 0 for SQLite. */
  readonly olderProcesses: number;
  /** Path of the copy that Floe would write first. Null if there is nothing to copy, and for PostgreSQL. */
  readonly copy: string | null;
}

interface PlanUpgradeOptions extends Pick<DatabaseCopyDependencies, 'freeBytes'> {
  /** The clock; the system clock if it is absent. */
  readonly clock?: Clock;
  /** The migrations of the release. Only tests set it. */
  readonly migrations?: readonly Migration[];
}

/**
 * Reports what Floe would change in the database at its next start. Changes nothing.
 * @throws FatalError if Floe could not start: the database cannot be read, a newer program or another
 * build migrated it, or the copy does not fit on the disk
 */
export async function planDatabaseUpgrade(
  { url, dataDir }: DatabaseLocation,
  { freeBytes, clock = systemClock, migrations: known }: PlanUpgradeOptions = {},
): Promise<DatabaseUpgradePlan> {
  if (isPostgresUrl(url)) {
    const { applied, processes } = await readPostgresMigrationState(url, clock.now());
    const pending = planMigrations(applied, known);
    const needed = Math.max(0, ...pending.map(({ compatibleFrom }) => compatibleFrom));
    const olderProcesses = countOlderProcesses(processes, needed);
    return { migrations: describeMigrations(pending, applied), olderProcesses, copy: null };
  }
  const path = resolveSqlitePath(url, dataDir);
  const { applied, copyBytes } = existsSync(path) ? inspectSqliteFile(path) : { applied: [], copyBytes: 0 };
  const migrations = describeMigrations(planMigrations(applied, known), applied);
  const [first] = migrations;
  if (!first || applied.length === 0) return { migrations, olderProcesses: 0, copy: null };
  const { to, purpose } = planMigrationCopy(path, first.number);
  await requireFreeSpace(to, copyBytes, freeBytes).catch((error: unknown) => {
    throw createDatabaseCopyError(path, to, error, purpose);
  });
  return { migrations, olderProcesses: 0, copy: to };
}

function describeMigrations(
  pending: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly PendingMigration[] {
  const newest = Math.max(0, ...applied.map(({ number }) => number));
  return pending.map(({ number, name, compatibleFrom }) => ({
    number,
    name,
    kind: newest === 0 ? null : compatibleFrom <= newest ? 'expand' : 'contract',
  }));
}

interface UpgradeOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** The migrations of the release. Only tests set it. */
  readonly migrations?: readonly Migration[];
  /** Whether to run contract migrations even while processes of older releases use the database. */
  readonly force?: boolean;
}

/**
 * Runs the pending migrations in the same way as Floe does at startup. First copies a SQLite database that
 * has been used. Returns what was changed.
 * @throws FatalError if `openDatabase` would throw it, a server uses the data directory, or a running
 * process of an older release does not work with a pending migration
 */
export async function upgradeDatabase(
  location: DatabaseLocation,
  options: UpgradeOptions,
): Promise<DatabaseUpgradePlan> {
  // PostgreSQL needs no lock of the directory, because the migrations lock the database.
  const lock = isPostgresUrl(location.url) ? null : lockInstallation(location.dataDir);
  try {
    const planned = await planDatabaseUpgrade(location, options);
    const database = await openDatabase(location.url, { ...options, dataDir: location.dataDir });
    await database.close();
    return planned;
  } finally {
    lock?.release();
  }
}

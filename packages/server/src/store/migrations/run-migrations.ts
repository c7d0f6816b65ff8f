import type { Clock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import type { Log } from '../../core/log.ts';
import { type DatabaseEngine, getDatabaseEngine } from '../database-engine.ts';
import { countOlderProcesses, listRunningProcesses } from '../replicas.ts';
import type { Database, DatabaseWriter } from '../store-interfaces.ts';
import type { Migration } from './migration.ts';
import {
  type AppliedMigration,
  createMigrationsTable,
  readMigrationHistory,
  recordMigration,
} from './migration-history.ts';
import { getNewestMigrationNumber } from './migration-list.ts';
import { planMigrations } from './plan-migrations.ts';

export interface RunMigrationsOptions {
  readonly log: Log;
  readonly clock: Clock;
  /**
   * Creates a backup before the first migration of a database that is already in use.
   * @param number the number of this migration
   */
  createBackup(number: number): Promise<void>;
  /** The migrations of the release. Only tests set it. */
  readonly migrations?: readonly Migration[];
  /** Whether to run contract migrations even while processes of older releases use the database. */
  readonly force?: boolean;
}

type MigrationDatabase = Pick<Database, 'transaction'>;

/**
 * Runs the pending migrations, each in a transaction that also inserts its row in `migrations`. If
 * several processes call it at once, each migration runs only once.
 *
 * @throws FatalError if this release does not work with the applied migrations
 * (`planMigrations`), or a running process does not work with a pending one
 */
export async function runMigrations(
  database: MigrationDatabase,
  options: RunMigrationsOptions,
): Promise<void> {
  const { missing, applied } = await database.transaction((writer) => planSafely(writer, options));
  logNewerMigrations(applied, options);
  const [first] = missing;
  if (!first) return;
  if (applied.length > 0) await options.createBackup(first.number);
  const done: Migration[] = [];
  for (const migration of missing) {
    const isApplied = await database.transaction((writer) => applyMigration(writer, migration, options));
    if (isApplied) done.push(migration);
  }
  const names = done.map(({ number, name }) => `${number} ${name}`);
  if (names.length > 0) options.log.info({ migrations: names }, 'database was migrated');
}

/**
 * Checks all pending migrations before the first one runs, so that nothing has changed if one of them is
 * rejected.
 */
async function planSafely(writer: DatabaseWriter, options: RunMigrationsOptions) {
  await createMigrationsTable(writer);
  const applied = await readMigrationHistory(writer);
  const missing = planMigrations(applied, options.migrations);
  if (applied.length > 0)
    for (const migration of missing) await requireNoOlderProcess(writer, migration, options);
  return { missing, applied };
}

/**
 * Applies a migration. Returns false if another process applied it first. Transactions run one at a time, so
 * this result is final.
 */
async function applyMigration(
  writer: DatabaseWriter,
  migration: Migration,
  options: RunMigrationsOptions,
): Promise<boolean> {
  const applied = await readMigrationHistory(writer);
  if (applied.some(({ number }) => number === migration.number)) return false;
  const engine: DatabaseEngine = getDatabaseEngine(writer);
  // Again, because an older process may have started since. It joins in a transaction of its own.
  if (applied.length > 0) await requireNoOlderProcess(writer, migration, options);
  await migration.up(writer, engine);
  await recordMigration(writer, migration, options.clock.now());
  return true;
}

async function requireNoOlderProcess(
  writer: DatabaseWriter,
  { number, name, compatibleFrom }: Migration,
  { clock, force = false }: RunMigrationsOptions,
): Promise<void> {
  if (force) return;
  const count = countOlderProcesses(await listRunningProcesses(writer, clock.now()), compatibleFrom);
  if (count === 0) return;
  const processes = count === 1 ? '1 running process' : `${count} running processes`;
  throw new FatalError(
    `Migration ${number} "${name}" does not work with ${processes} of an older version, so it was not applied. Stop all processes of older versions, then try again. A process that was killed counts as running for 15 seconds. To apply the migration anyway, run "floe migrate --force". Requests to the older processes can then fail.`,
  );
}

function logNewerMigrations(
  applied: readonly AppliedMigration[],
  { log, migrations }: RunMigrationsOptions,
): void {
  const known = getNewestMigrationNumber(migrations);
  const newer = applied.filter(({ number }) => number > known).map(({ number, name }) => `${number} ${name}`);
  if (newer.length > 0)
    log.info({ migrations: newer }, 'database contains migrations from a newer, compatible version');
}

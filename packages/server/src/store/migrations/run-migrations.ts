import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { type DatabaseEngine, getDatabaseEngine } from '../database-engine.ts';
import type { Database, DatabaseWriter } from '../ports.ts';
import type { Migration } from './migration.ts';
import { type AppliedMigration, planMigrations } from './plan-migrations.ts';

export interface RunMigrationsOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Called with the number of the first migration of a database that is already in use. */
  createBackup(number: number): Promise<void>;
  /** Replaced only in tests. */
  readonly migrations?: readonly Migration[];
}

type MigrationDatabase = Pick<Database, 'transaction'>;

/**
 * Runs the pending migrations, each in a transaction that also inserts its row in `migrations`. If
 * several processes call it at once, each migration runs only once.
 *
 * @throws StoreUnusableError if the tables come from a newer program or another build
 * (`planMigrations`)
 */
export async function runMigrations(
  database: MigrationDatabase,
  options: RunMigrationsOptions,
): Promise<void> {
  const applied = await database.transaction(readAppliedMigrations);
  const missing = planMigrations(applied, options.migrations);
  const [first] = missing;
  if (!first) return;
  if (applied.length > 0) await options.createBackup(first.number);
  const done: Migration[] = [];
  for (const migration of missing) {
    const isApplied = await database.transaction((writer) =>
      applyMigration(writer, getDatabaseEngine(writer), migration, options.clock.now()),
    );
    if (isApplied) done.push(migration);
  }
  const names = done.map(({ number, name }) => `${number} ${name}`);
  if (names.length > 0) options.log.info({ migrations: names }, 'database was migrated');
}

async function readAppliedMigrations(writer: DatabaseWriter): Promise<readonly AppliedMigration[]> {
  await writer.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.notNull().primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  return writer.selectFrom('migrations').select(['number', 'name']).execute();
}

/** Returns false if another process ran it first. Transactions run one at a time, so this check is final. */
async function applyMigration(
  writer: DatabaseWriter,
  engine: DatabaseEngine,
  migration: Migration,
  nowMs: number,
): Promise<boolean> {
  const applied = await readAppliedMigrations(writer);
  if (applied.some(({ number }) => number === migration.number)) return false;
  await migration.up(writer, engine);
  await writer
    .insertInto('migrations')
    .values({ number: migration.number, name: migration.name, applied_at: nowMs })
    .execute();
  return true;
}

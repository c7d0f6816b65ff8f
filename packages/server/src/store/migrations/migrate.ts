import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database, Engine, Writer } from '../ports.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { MIGRATIONS } from './all.ts';
import type { Migration } from './migration.ts';

export interface MigrateOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Called before the first migration of a database that has been in use, with its number. */
  keepCopy(number: number): Promise<void>;
  /** The program's own list unless a test passes another. */
  readonly migrations?: readonly Migration[];
}

type Migratable = Pick<Database, 'transaction' | 'engine'>;

/**
 * Migrations the tables still lack, in order.
 *
 * @throws StoreUnusable when a newer program made the tables.
 */
export async function missingMigrations(
  database: Migratable,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<{ readonly applied: number; readonly missing: readonly Migration[] }> {
  const applied = await database.transaction(lastApplied);
  const known = migrations.at(-1)?.number ?? 0;
  if (applied > known)
    throw new StoreUnusable(
      `The database was made by a newer Floe (migration ${applied}; this one knows ${known}). Run that version, or restore a copy from before the upgrade.`,
    );
  return { applied, missing: migrations.filter(({ number }) => number > applied) };
}

/**
 * Brings the tables up to the program: each migration that is missing runs in a transaction of its
 * own, with its line in `migrations`. Processes that start together run each one once.
 *
 * @throws StoreUnusable when a newer program made the tables.
 */
export async function migrate(database: Migratable, options: MigrateOptions): Promise<void> {
  const { applied, missing } = await missingMigrations(database, options.migrations);
  const [first] = missing;
  if (!first) return;
  if (applied > 0) await options.keepCopy(first.number);
  for (const migration of missing) {
    const done = await database.transaction((writer) =>
      apply(writer, database.engine, migration, options.clock.now()),
    );
    if (done) options.log.info({ number: migration.number, name: migration.name }, 'Migrated the database');
  }
}

/** Number of the newest migration applied; 0 for an empty database. */
async function lastApplied(writer: Writer): Promise<number> {
  await writer.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.notNull().primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  const newest = await writer
    .selectFrom('migrations')
    .select('number')
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return newest?.number ?? 0;
}

/** False when another process was first: transactions are serialised, so looking again here is enough. */
async function apply(writer: Writer, engine: Engine, migration: Migration, nowMs: number): Promise<boolean> {
  if ((await lastApplied(writer)) >= migration.number) return false;
  await migration.up(writer, engine);
  await writer
    .insertInto('migrations')
    .values({ number: migration.number, name: migration.name, applied_at: nowMs })
    .execute();
  return true;
}

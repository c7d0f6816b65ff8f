import { StoreUnusableError } from '../store-unusable-error.ts';
import type { Migration } from './migration.ts';
import { MIGRATIONS } from './migration-list.ts';

/** The first of the migrations that one baseline replaced. */
const PRE_RELEASE_MIGRATION = 'first-tables';

/** An applied migration, as the table `migrations` records it. */
export type AppliedMigration = Pick<Migration, 'number' | 'name'>;

/**
 * Returns the pending migrations of a database, in order. The numbers may have gaps. The applied
 * migrations must be a prefix of the program's list, because the changes of another build are
 * unknown.
 *
 * @throws StoreUnusableError if a newer program or one with other migrations has changed the
 * database. Nothing is changed.
 */
export function planMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  if (applied.some(({ number, name }) => number === 1 && name === PRE_RELEASE_MIGRATION))
    throw new StoreUnusableError(
      'The database was created by a pre-release build. This build cannot read its tables. Nothing was changed. Export every organization with that build (floe config export > org.yaml), start this build with a different storage.database, and apply the files (floe config apply org.yaml).',
    );
  const newest = Math.max(0, ...applied.map(({ number }) => number));
  const known = migrations.at(-1)?.number ?? 0;
  if (newest > known)
    throw new StoreUnusableError(
      `The database was created by a newer version of Floe (migration ${newest}; this version supports up to ${known}). Run that version, or restore a backup from before the upgrade.`,
    );
  const problems = [
    ...describeUnknownMigrations(applied, migrations),
    ...describeSkippedMigrations(applied, migrations, newest),
  ];
  if (problems.length > 0)
    throw new StoreUnusableError(
      `The database was migrated by a different build of Floe: ${problems.join('; ')}. Nothing was changed. Run the build that last used this database, or restore an earlier backup (floe.db.before-<number>, or a PostgreSQL dump).`,
    );
  return migrations.filter(({ number }) => number > newest);
}

function describeUnknownMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): string[] {
  const names = new Map(migrations.map(({ number, name }) => [number, name]));
  return applied.flatMap(({ number, name }) => {
    const own = names.get(number);
    if (own === name) return [];
    const here = own === undefined ? 'which this build does not have' : `which is "${own}" in this build`;
    return [`it has migration ${number} "${name}", ${here}`];
  });
}

function describeSkippedMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  newest: number,
): string[] {
  const numbers = new Set(applied.map(({ number }) => number));
  return migrations
    .filter(({ number }) => number < newest && !numbers.has(number))
    .map(({ number, name }) => `it lacks migration ${number} "${name}" but has ${newest}`);
}

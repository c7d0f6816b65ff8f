import { StoreUnusable } from '../store-unusable.ts';
import { MIGRATIONS } from './list.ts';
import type { Migration } from './migration.ts';

/** The first of the migrations that one baseline replaced. */
const BEFORE_RELEASES = 'first-tables';

/** A line of the table `migrations`. */
export type AppliedMigration = Pick<Migration, 'number' | 'name'>;

/**
 * The migrations that a database still lacks, in order. Numbers may be missing from the program's own list. The
 * database must have a beginning of that list and nothing else: what another build did to it, nobody here knows.
 *
 * @throws StoreUnusable when a newer program changed the database, or one with other migrations. Nothing is changed then.
 */
export function planMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  if (applied.some(({ number, name }) => number === 1 && name === BEFORE_RELEASES))
    throw new StoreUnusable(
      'The database was made by a build from before the first release, whose tables this build does not read. Nothing was changed. Export every organization with that build (floe config export > org.yaml), start this one with another storage.database, and apply the files (floe config apply org.yaml).',
    );
  const newest = Math.max(0, ...applied.map(({ number }) => number));
  const known = migrations.at(-1)?.number ?? 0;
  if (newest > known)
    throw new StoreUnusable(
      `The database was made by a newer Floe (migration ${newest}; this one knows ${known}). Run that version, or restore a copy from before the upgrade.`,
    );
  const problems = [...unknownOnes(applied, migrations), ...skippedOnes(applied, migrations, newest)];
  if (problems.length > 0)
    throw new StoreUnusable(
      `The database was migrated by another build of Floe: ${problems.join('; ')}. Nothing was changed. Run the build that last used this database, or restore a copy from before it did (floe.db.before-<number>, or a dump of PostgreSQL).`,
    );
  return migrations.filter(({ number }) => number > newest);
}

function unknownOnes(applied: readonly AppliedMigration[], migrations: readonly Migration[]): string[] {
  const names = new Map(migrations.map(({ number, name }) => [number, name]));
  return applied.flatMap(({ number, name }) => {
    const own = names.get(number);
    if (own === name) return [];
    const here = own === undefined ? 'which this build does not have' : `which is "${own}" in this build`;
    return [`it has migration ${number} "${name}", ${here}`];
  });
}

function skippedOnes(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  newest: number,
): string[] {
  const numbers = new Set(applied.map(({ number }) => number));
  return migrations
    .filter(({ number }) => number < newest && !numbers.has(number))
    .map(({ number, name }) => `it lacks migration ${number} "${name}" but has ${newest}`);
}

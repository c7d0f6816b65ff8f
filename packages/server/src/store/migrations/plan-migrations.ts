import { FatalError } from '../../core/fatal-error.ts';
import type { Migration } from './migration.ts';
import type { AppliedMigration } from './migration-history.ts';
import { getNewestMigrationNumber, MIGRATIONS } from './migration-list.ts';

/** The first of the migrations that one baseline replaced. */
const PRE_RELEASE_MIGRATION = 'first-tables';

/**
 * Returns the pending migrations of a database, in order. The numbers may have gaps. The applied
 * migrations must start with all migrations that this release knows, in the same order, or be a
 * prefix of them. Additional migrations from a newer release are accepted if all of them are
 * compatible with this release.
 *
 * @throws FatalError if this release does not work with the database, or if a build with
 * different migrations has changed the database. Nothing is changed.
 */
export function planMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  if (applied.some(({ number, name }) => number === 1 && name === PRE_RELEASE_MIGRATION))
    throw new FatalError(
      'The database was created by a pre-release build of Floe, whose tables this version cannot read. Nothing was changed. Export every organization with the pre-release build (floe config export > org.yaml), start this version with a different storage.database, and apply the files (floe config apply org.yaml).',
    );
  const newest = Math.max(0, ...applied.map(({ number }) => number));
  const known = getNewestMigrationNumber(migrations);
  requireCompatibleMigrations(applied, known);
  const problems = [
    ...describeUnknownMigrations(
      applied.filter(({ number }) => number <= known),
      migrations,
    ),
    ...describeSkippedMigrations(applied, migrations, newest),
  ];
  if (problems.length > 0)
    throw new FatalError(
      `The database was migrated by a different build of Floe: ${problems.join('; ')}. Nothing was changed. Run the build that last used this database, or restore an earlier backup (floe.db.before-<number>, or a PostgreSQL dump).`,
    );
  return migrations.filter(({ number }) => number > newest);
}

/**
 * Requires that this release works with the newer migrations of the database. Reads their compatibility from
 * the database, because this release does not contain these migrations.
 */
function requireCompatibleMigrations(applied: readonly AppliedMigration[], known: number): void {
  const incompatible = applied
    .filter(({ number, compatibleFrom }) => number > known && (compatibleFrom ?? number) > known)
    .sort((one, other) => one.number - other.number);
  const [first] = incompatible;
  if (!first) return;
  const needed = Math.max(...incompatible.map(({ number, compatibleFrom }) => compatibleFrom ?? number));
  throw new FatalError(
    `The database was migrated by a newer version of Floe: migration ${first.number} "${first.name}" requires a version that has migration ${needed}, and this version has migrations up to ${known}. Nothing was changed. Run the newer version, or restore a backup from before the migration (floe.db.before-<number>, or a PostgreSQL dump).`,
  );
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
    return [`the database has migration ${number} "${name}", ${here}`];
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
    .map(
      ({ number, name }) =>
        `the database lacks migration ${number} "${name}", although it has the later migration ${newest}`,
    );
}

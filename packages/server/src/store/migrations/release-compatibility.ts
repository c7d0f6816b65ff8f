import type { Migration } from './migration.ts';

/**
 * The migration that adds the columns from which a process of another release can read whether it
 * works with the database. The values are null for earlier migrations and for processes of earlier
 * releases.
 */
export const releaseCompatibilityMigration: Migration = {
  number: 4,
  name: 'release-compatibility',
  compatibleFrom: 1,
  async up(writer) {
    await writer.schema.alterTable('migrations').addColumn('compatible_from', 'integer').execute();
    await writer.schema.alterTable('replicas').addColumn('newest_migration', 'integer').execute();
  },
};

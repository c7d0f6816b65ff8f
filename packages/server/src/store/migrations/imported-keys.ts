import type { Migration } from './migration.ts';

/**
 * The migration that adds a column for the product from which a key was imported. The value is null for keys
 * that Floe created.
 */
export const importedKeysMigration: Migration = {
  number: 2,
  name: 'imported-keys',
  compatibleFrom: 1,
  async up(writer) {
    await writer.schema.alterTable('platform_keys').addColumn('imported_from', 'text').execute();
  },
};

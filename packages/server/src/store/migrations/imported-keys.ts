import type { Migration } from './migration.ts';

/** Adds the product from which a key was imported. Null for keys of Floe. */
export const importedKeysMigration: Migration = {
  number: 2,
  name: 'imported-keys',
  async up(writer) {
    await writer.schema.alterTable('platform_keys').addColumn('imported_from', 'text').execute();
  },
};

import type { Migration } from './migration.ts';

const TABLES = ['platform_keys', 'teams', 'channels', 'monitors', 'boards', 'config_entries'];

/** What stands in the configuration file keeps the name of that file; a platform key, who changed it last. */
export const places: Migration = {
  number: 18,
  name: 'places',
  async up({ schema }) {
    for (const table of TABLES) await schema.alterTable(table).addColumn('source_file', 'text').execute();
    await schema.alterTable('platform_keys').addColumn('updated_by', 'text').execute();
  },
};

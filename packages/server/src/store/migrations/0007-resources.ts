import { type ColumnDefinitionBuilder, sql } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Whose the things at providers are, and which paths without a model a restricted key may use. */
export const resources: Migration = {
  number: 7,
  name: 'resources',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('resources')
      .addColumn('org_id', text, required)
      .addColumn('resource_id', text, required)
      .addColumn('provider', text, required)
      .addColumn('credential', text, required)
      .addColumn('kind', text, required)
      .addColumn('key_id', text, required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('counted', 'integer', (column) => column.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('resources_key', ['org_id', 'resource_id', 'provider'])
      .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql``)
      .execute();
    await schema.alterTable('platform_keys').addColumn('paths_json', 'text').execute();
  },
};

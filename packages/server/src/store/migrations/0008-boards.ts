import type { ColumnDefinitionBuilder } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();

/** What people see of monitoring: boards, and when nobody is to be told. */
export const boards: Migration = {
  number: 8,
  name: 'boards',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('boards')
      .addColumn('id', text, key)
      .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
      .addColumn('slug', text, (column) => column.notNull().unique())
      .addColumn('name', text, required)
      .addColumn('public', 'integer', required)
      .addColumn('timezone', text)
      .addColumn('groups_json', text, required)
      .addColumn('source', text, required)
      .addColumn('source_line', 'integer')
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('updated_by', text, required)
      .execute();
    await schema.createIndex('boards_by_org').on('boards').columns(['org_id', 'created_at', 'id']).execute();
    await schema
      .createTable('maintenance_windows')
      .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
      .addColumn('id', text, required)
      .addColumn('name', text, required)
      .addColumn('starts_at', 'bigint')
      .addColumn('ends_at', 'bigint')
      .addColumn('cron', text)
      .addColumn('timezone', text)
      .addColumn('duration_ms', 'bigint')
      .addColumn('monitors_json', text, required)
      .addColumn('tags_json', text, required)
      .addColumn('on_boards', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('updated_by', text, required)
      .addPrimaryKeyConstraint('maintenance_windows_key', ['org_id', 'id'])
      .execute();
  },
};

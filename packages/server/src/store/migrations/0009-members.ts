import type { ColumnDefinitionBuilder } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();

/** People, and the orgs they belong to. */
export const members: Migration = {
  number: 9,
  name: 'members',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('users')
      .addColumn('id', text, key)
      .addColumn('email', text, (column) => column.notNull().unique())
      .addColumn('name', text, required)
      .addColumn('password_hash', text)
      .addColumn('preferences_json', text)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .execute();
    await schema
      .createTable('members')
      .addColumn('id', text, key)
      .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
      .addColumn('user_id', text, (column) => column.notNull().references('users.id'))
      .addColumn('role', text, required)
      .addColumn('team', text)
      .addColumn('source', text, required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('updated_by', text, required)
      .addUniqueConstraint('members_once', ['org_id', 'user_id'])
      .execute();
    await schema.createIndex('members_by_user').on('members').columns(['user_id', 'org_id']).execute();
  },
};

import type { ColumnDefinitionBuilder } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
const person = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('users.id').onDelete('cascade');

/** Sessions of the console, and what people sign in with besides a password. */
export const signIn: Migration = {
  number: 11,
  name: 'sign-in',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('sessions')
      .addColumn('id', text, key)
      .addColumn('token_sha256', text, (column) => column.notNull().unique())
      .addColumn('previous_sha256', text)
      .addColumn('previous_until', 'bigint', required)
      .addColumn('user_id', text, person)
      .addColumn('org_id', text, required)
      .addColumn('role', text, required)
      .addColumn('method', text, required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('last_seen_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .addColumn('stepped_up_until', 'bigint', required)
      .addColumn('address', text, required)
      .addColumn('agent', text, required)
      .execute();
    await schema.createIndex('sessions_by_previous').on('sessions').column('previous_sha256').execute();
    await schema.createIndex('sessions_by_user').on('sessions').column('user_id').execute();
    await schema
      .createTable('passkeys')
      .addColumn('id', text, key)
      .addColumn('user_id', text, person)
      .addColumn('credential_id', text, (column) => column.notNull().unique())
      .addColumn('public_key', text, required)
      .addColumn('counter', 'bigint', required)
      .addColumn('transports_json', text, required)
      .addColumn('name', text, required)
      .addColumn('backed_up', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('last_used_at', 'bigint')
      .execute();
    await schema.createIndex('passkeys_by_user').on('passkeys').column('user_id').execute();
    await schema
      .createTable('identities')
      .addColumn('issuer', text, required)
      .addColumn('subject', text, required)
      .addColumn('user_id', text, person)
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
      .execute();
    await schema.createIndex('identities_by_user').on('identities').column('user_id').execute();
    await schema
      .createTable('sign_in_tries')
      .addColumn('bucket', text, key)
      .addColumn('tries', 'bigint', required)
      .addColumn('last_at', 'bigint', required)
      .addColumn('blocked_until', 'bigint', required)
      .execute();
    await schema
      .createTable('spent_tokens')
      .addColumn('sha256', text, key)
      .addColumn('expires_at', 'bigint', required)
      .execute();
  },
};

import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const person = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('users.id').onDelete('cascade');
const org = (column: ColumnDefinitionBuilder) => column.notNull().references('orgs.id');

/**
 * What each issuer grants a member, removals that groups do not undo, operators of the installation, which passkey
 * started a session, and where a change of the audit log came from.
 */
export const operatorsAndGrants: Migration = {
  number: 25,
  name: 'operators-and-grants',
  async up(writer, engine) {
    await grantTables(writer, engine);
    await operatorsTable(writer, engine);
    const text = orderedText(engine);
    await writer.schema.alterTable('sessions').addColumn('passkey_id', text).execute();
    for (const name of ['address', 'session_id'])
      await writer.schema.alterTable('audit').addColumn(name, text).execute();
  },
};

async function grantTables(writer: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await writer.schema
    .createTable('member_grants')
    .addColumn('org_id', text, org)
    .addColumn('user_id', text, person)
    .addColumn('issuer', text, required)
    .addColumn('role', text, required)
    .addColumn('team', text)
    .addPrimaryKeyConstraint('member_grants_key', ['org_id', 'user_id', 'issuer'])
    .execute();
  await writer.schema.createIndex('member_grants_by_user').on('member_grants').column('user_id').execute();
  await sql`insert into member_grants (org_id, user_id, issuer, role, team)
    select org_id, user_id, issuer, role, team from members
    where source = 'oidc' and issuer is not null`.execute(writer);
  await writer.schema
    .createTable('removed_members')
    .addColumn('org_id', text, org)
    .addColumn('user_id', text, person)
    .addColumn('removed_at', 'bigint', required)
    .addColumn('removed_by', text, required)
    .addPrimaryKeyConstraint('removed_members_key', ['org_id', 'user_id'])
    .execute();
}

/** The oldest owner of an installation that exists becomes its first operator. */
async function operatorsTable(writer: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await writer.schema
    .createTable('operators')
    .addColumn('user_id', text, (column) =>
      column.notNull().primaryKey().references('users.id').onDelete('cascade'),
    )
    .addColumn('granted_at', 'bigint', required)
    .addColumn('granted_by', text, required)
    .execute();
  await sql`insert into operators (user_id, granted_at, granted_by)
    select user_id, created_at, 'upgrade' from members where role = 'owner'
    order by created_at, id limit 1`.execute(writer);
}

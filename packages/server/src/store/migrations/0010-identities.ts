import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Teams, invitations, rotated keys, and an audit log that can only grow. */
export const identities: Migration = {
  number: 10,
  name: 'identities',
  async up(writer, engine) {
    await orgColumns(writer, engine);
    await teamsTable(writer, engine);
    await invitationsTable(writer, engine);
    await keyColumns(writer, engine);
    await auditChain(writer, engine);
    await (engine === 'sqlite' ? guardSqliteAudit(writer) : guardPostgresAudit(writer));
  },
};

async function orgColumns({ schema }: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  for (const name of ['timezone', 'updated_by'])
    await schema.alterTable('orgs').addColumn(name, text).execute();
  await schema.alterTable('orgs').addColumn('updated_at', 'bigint').execute();
}

async function teamsTable({ schema }: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('teams')
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('id', text, required)
    .addColumn('name', text, required)
    .addColumn('cost_center', text)
    .addColumn('source', text, required)
    .addColumn('source_line', 'integer')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('updated_by', text, required)
    .addPrimaryKeyConstraint('teams_key', ['org_id', 'id'])
    .execute();
}

async function invitationsTable({ schema }: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('invitations')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('email', text, required)
    .addColumn('role', text, required)
    .addColumn('team', text)
    .addColumn('token_sha256', text, (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', required)
    .addColumn('created_by', text, required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('accepted_at', 'bigint')
    .addColumn('accepted_by', text)
    .addColumn('revoked_at', 'bigint')
    .execute();
  await schema
    .createIndex('invitations_by_time')
    .on('invitations')
    .columns(['org_id', 'created_at', 'id'])
    .execute();
}

/** A rotated key keeps its id; its value before stands beside it while it works. */
async function keyColumns({ schema }: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  for (const name of ['previous_hash', 'previous_prefix', 'previous_last4', 'rotation_id'])
    await schema.alterTable('platform_keys').addColumn(name, text).execute();
  for (const name of ['previous_until', 'previous_last_used_at', 'rotated_at', 'leaked_at'])
    await schema.alterTable('platform_keys').addColumn(name, 'bigint').execute();
}

async function auditChain({ schema }: Writer, engine: Engine): Promise<void> {
  const text = orderedText(engine);
  for (const name of ['actor_name', 'hash']) await schema.alterTable('audit').addColumn(name, text).execute();
  await schema.alterTable('audit').addColumn('seq', 'bigint').execute();
  await schema.createIndex('audit_by_seq').on('audit').columns(['org_id', 'seq']).unique().execute();
}

/** Retention says in `audit_kept_from` up to when it removes; what is younger cannot be removed. */
async function guardSqliteAudit(writer: Writer): Promise<void> {
  await sql`
    create trigger audit_never_updated before update on audit
    begin select raise(abort, 'the audit log is append-only'); end`.execute(writer);
  await sql`
    create trigger audit_never_deleted before delete on audit
    when old.at >= coalesce((select cast(value as integer) from settings where name = 'audit_kept_from'), 0)
    begin select raise(abort, 'the audit log is append-only'); end`.execute(writer);
}

async function guardPostgresAudit(writer: Writer): Promise<void> {
  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'DELETE' and old.at < coalesce(
        (select cast(value as bigint) from settings where name = 'audit_kept_from'), 0)
      then return old; end if;
      raise exception 'the audit log is append-only';
    end $body$`.execute(writer);
  await sql`
    create trigger audit_append_only before update or delete on audit
    for each row execute function refuse_audit_change()`.execute(writer);
  await sql`
    create trigger audit_never_truncated before truncate on audit
    for each statement execute function refuse_audit_change()`.execute(writer);
}

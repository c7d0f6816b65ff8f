import { type ColumnDefinitionBuilder, type CreateTableBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();
const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);

export const alerts: Migration = {
  number: 4,
  name: 'alerts',
  async up(writer, engine) {
    await channelsTable(writer.schema, engine);
    await alertsTable(writer.schema, engine);
    await deliveriesTable(writer.schema, engine);
    await queues(writer);
  },
};

async function channelsTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('channels')
    .addColumn('id', text, key)
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('name', text, required)
    .addColumn('kind', text, required)
    .addColumn('settings_json', text, required)
    .addColumn('url_origin', text)
    .addColumn('secrets_sealed', text)
    .addColumn('secrets_version', 'integer', required)
    .addColumn('enabled', 'integer', required)
    .addColumn('source', text, required)
    .addColumn('source_line', 'integer')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('updated_by', text, required)
    .addColumn('leased_by', text)
    .addColumn('leased_until', 'bigint', zero)
    .addColumn('resting_until', 'bigint', zero)
    .addColumn('failures', 'integer', zero)
    .addUniqueConstraint('channels_by_name', ['org_id', 'name'])
    .execute();
}

async function alertsTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await numbered(schema.createTable('alerts'), engine)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('idempotency_key', text, required)
    .addColumn('at', 'bigint', required)
    .addColumn('event', text, required)
    .addColumn('phase', text, required)
    .addColumn('subject_kind', text, required)
    .addColumn('subject_id', text, required)
    .addColumn('subject_name', text, required)
    .addColumn('fields_json', text, required)
    .addColumn('channels_json', text)
    .addColumn('routed_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .addUniqueConstraint('alerts_by_key', ['org_id', 'idempotency_key'])
    .execute();
  await schema.createIndex('alerts_by_time').on('alerts').columns(['org_id', 'at', 'id']).execute();
  await schema
    .createIndex('alerts_by_subject')
    .on('alerts')
    .columns(['org_id', 'subject_kind', 'subject_id', 'seq'])
    .execute();
}

async function deliveriesTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await numbered(schema.createTable('alert_deliveries'), engine)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('org_id', text, required)
    .addColumn('alert_id', text, required)
    .addColumn('alert_seq', 'bigint', required)
    .addColumn('channel_id', text, required)
    .addColumn('channel_name', text, required)
    .addColumn('repetition', 'integer', required)
    .addColumn('state', text, required)
    .addColumn('held', text)
    .addColumn('created_at', 'bigint', required)
    .addColumn('due_at', 'bigint', required)
    .addColumn('attempts', 'integer', zero)
    .addColumn('sent_at', 'bigint')
    .addColumn('status', 'integer')
    .addColumn('error', text)
    .addColumn('folded_into', text)
    .addUniqueConstraint('alert_deliveries_once', ['alert_id', 'channel_id', 'repetition'])
    .execute();
  await schema
    .createIndex('alert_deliveries_of_channel')
    .on('alert_deliveries')
    .columns(['channel_id', 'sent_at'])
    .execute();
}

/** Numbers the database gives out: their order is that of the writing, whatever clocks say. */
function numbered(table: CreateTableBuilder<string>, engine: Engine) {
  return engine === 'sqlite'
    ? table.addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('seq', 'bigserial', key);
}

/** What waits is little beside what is done: partial indexes hold that alone. */
async function queues(writer: Writer): Promise<void> {
  await sql`create index alerts_waiting on alerts (seq) where routed_at is null`.execute(writer);
  await sql`create index alerts_lasting on alerts (org_id, subject_kind, subject_id)
    where closed_at is null`.execute(writer);
  await sql`create index alert_deliveries_pending on alert_deliveries (channel_id, seq)
    where state = 'pending'`.execute(writer);
}

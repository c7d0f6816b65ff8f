import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();

export const firstTables: Migration = {
  number: 1,
  name: 'first-tables',
  async up({ schema }, engine) {
    await platformTables(schema, engine);
    await exchangesTable(schema, engine);
  },
};

async function platformTables(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('orgs')
    .addColumn('id', text, key)
    .addColumn('name', text, required)
    .addColumn('created_at', 'bigint', required)
    .execute();
  await schema
    .createTable('platform_keys')
    .addColumn('id', text, key)
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('name', text, required)
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('prefix', text, required)
    .addColumn('last4', text, required)
    .addColumn('scopes_json', text, required)
    .addColumn('models_json', text)
    .addColumn('team', text)
    .addColumn('owner', text)
    .addColumn('created_at', 'bigint', required)
    .addColumn('created_by', text)
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('source', text, required)
    .addColumn('source_line', 'integer')
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await schema
    .createIndex('platform_keys_by_time')
    .on('platform_keys')
    .columns(['org_id', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('audit')
    .addColumn('id', text, key)
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('at', 'bigint', required)
    .addColumn('actor', text, required)
    .addColumn('action', text, required)
    .addColumn('subject', text, required)
    .addColumn('before_json', text)
    .addColumn('after_json', text)
    .execute();
  await schema.createIndex('audit_by_time').on('audit').columns(['org_id', 'at', 'id']).execute();
  await schema
    .createTable('settings')
    .addColumn('name', text, key)
    .addColumn('value', text, required)
    .execute();
}

// budget: one statement, a line per column
async function exchangesTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  const table = schema
    .createTable('exchanges')
    .addColumn('id', text, engine === 'sqlite' ? key : required)
    .addColumn('org_id', text, required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('surface', text, required)
    .addColumn('route_mode', text, required)
    .addColumn('key_id', text, required)
    .addColumn('key_name', text, required)
    .addColumn('team', text)
    .addColumn('owner', text)
    .addColumn('end_user', text)
    .addColumn('model_requested', text)
    .addColumn('provider', text)
    .addColumn('model', text)
    .addColumn('stream', 'integer', required)
    .addColumn('status', 'integer', required)
    .addColumn('state', text, required)
    .addColumn('error_code', text)
    .addColumn('error_source', text)
    .addColumn('finish_reason', text)
    .addColumn('input_tokens', 'bigint')
    .addColumn('cached_tokens', 'bigint')
    .addColumn('cache_write_tokens', 'bigint')
    .addColumn('output_tokens', 'bigint')
    .addColumn('reasoning_tokens', 'bigint')
    .addColumn('usage_source', text, required)
    .addColumn('cost_nano_usd', 'bigint')
    .addColumn('cost_source', text)
    .addColumn('cache', text)
    .addColumn('latency_ms', 'double precision', required)
    .addColumn('first_token_ms', 'double precision')
    .addColumn('overhead_ms', 'double precision')
    .addColumn('request_bytes', 'bigint', required)
    .addColumn('response_bytes', 'bigint', required)
    .addColumn('metadata_json', text)
    .addColumn('dropped_json', text)
    .addColumn('attempts_json', text, required)
    .addColumn('decisions_json', text, required);
  // A partitioned table's key must hold what it is partitioned by; a row's id and time never part.
  const daily = () =>
    table
      .addPrimaryKeyConstraint('exchanges_key', ['id', 'created_at'])
      .modifyEnd(sql`partition by range (created_at)`);
  await (engine === 'sqlite' ? table : daily()).execute();
  // Lists are read newest first, of an org or of one key; either index is walked backwards for that.
  await schema
    .createIndex('exchanges_by_time')
    .on('exchanges')
    .columns(['org_id', 'created_at', 'id'])
    .execute();
  await schema
    .createIndex('exchanges_by_key')
    .on('exchanges')
    .columns(['org_id', 'key_id', 'created_at', 'id'])
    .execute();
}

import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();

export const monitoring: Migration = {
  number: 3,
  name: 'monitoring',
  async up({ schema }, engine) {
    await definitions(schema, engine);
    await clocks(schema, engine);
    await history(schema, engine);
    await liveness(schema, engine);
  },
};

async function definitions(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('monitors')
    .addColumn('uid', text, key)
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('id', text, required)
    .addColumn('name', text, required)
    .addColumn('description', text, required)
    .addColumn('interval_ms', 'bigint')
    .addColumn('cron', text)
    .addColumn('timezone', text)
    .addColumn('grace_ms', 'bigint')
    .addColumn('first_beat_due_ms', 'bigint')
    .addColumn('alert_after_misses', 'integer', required)
    .addColumn('tags_json', text, required)
    .addColumn('channels_json', text, required)
    .addColumn('paused', 'integer', required)
    .addColumn('paused_until', 'bigint')
    .addColumn('muted_until', 'bigint')
    .addColumn('token_version', 'integer', required)
    .addColumn('disabled_at', 'bigint')
    .addColumn('source', text, required)
    .addColumn('source_line', 'integer')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('updated_by', text, required)
    .addUniqueConstraint('monitors_by_id', ['org_id', 'id'])
    .execute();
  await schema
    .createIndex('monitors_by_time')
    .on('monitors')
    .columns(['org_id', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('monitor_defaults')
    .addColumn('org_id', text, key)
    .addColumn('grace_ms', 'bigint', required)
    .execute();
}

async function clocks(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  const table = schema
    .createTable('monitor_clocks')
    .addColumn('uid', text, key)
    .addColumn('org_id', text, required)
    .addColumn('id', text, required)
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('interval_ms', 'bigint')
    .addColumn('cron', text)
    .addColumn('timezone', text)
    .addColumn('grace_ms', 'bigint', required)
    .addColumn('first_beat_due_ms', 'bigint')
    .addColumn('alert_after_misses', 'integer', required)
    .addColumn('status', text, required)
    .addColumn('last_beat_at', 'bigint')
    .addColumn('anchor_at', 'bigint', required)
    .addColumn('expected_at', 'bigint')
    .addColumn('due_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('misses', 'integer', required)
    .addColumn('alerted_since', 'bigint')
    .addColumn('granted', 'integer', required)
    .addColumn('paused_until', 'bigint')
    .addColumn('period_at', 'bigint', required)
    .addColumn('settled_at', 'bigint', required)
    .addColumn('run_at', 'bigint')
    .addColumn('run_id', text)
    .addColumn('wake_at', 'bigint', required)
    .addUniqueConstraint('monitor_clocks_by_id', ['org_id', 'id']);
  // Room on the page: a beat that leaves wake_at alone changes no index.
  await (engine === 'sqlite' ? table : table.modifyEnd(sql`with (fillfactor = 70)`)).execute();
  await schema
    .createIndex('monitor_clocks_by_wake')
    .on('monitor_clocks')
    .columns(['wake_at', 'uid'])
    .execute();
}

async function history(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  const withoutRowid = engine === 'sqlite' ? sql`without rowid` : sql``;
  await schema
    .createTable('checks')
    .addColumn('uid', text, required)
    .addColumn('at', 'bigint', required)
    .addColumn('id', text, required)
    .addColumn('status', text, required)
    .addColumn('error', text)
    .addColumn('expected_at', 'bigint')
    .addColumn('detected_at', 'bigint', required)
    .addColumn('received_at', 'bigint')
    .addColumn('duration_ms', 'bigint')
    .addColumn('metadata_json', text)
    .addColumn('stands_for', 'integer', required)
    .addPrimaryKeyConstraint('checks_key', ['uid', 'at', 'id'])
    .modifyEnd(withoutRowid)
    .execute();
  // Filters ask for what went wrong: few rows among many that went well.
  await schema
    .createIndex('checks_not_ok')
    .on('checks')
    .columns(['uid', 'status', 'at', 'id'])
    .where('status', '<>', 'ok')
    .execute();
  await schema
    .createTable('monitor_periods')
    .addColumn('uid', text, required)
    .addColumn('started_at', 'bigint', required)
    .addColumn('status', text, required)
    .addColumn('reason', text, required)
    .addPrimaryKeyConstraint('monitor_periods_key', ['uid', 'started_at'])
    .modifyEnd(withoutRowid)
    .execute();
  await schema
    .createTable('beat_keys')
    .addColumn('uid', text, required)
    .addColumn('key', text, required)
    .addColumn('beat_id', text, required)
    .addColumn('received_at', 'bigint', required)
    .addPrimaryKeyConstraint('beat_keys_key', ['uid', 'key'])
    .modifyEnd(withoutRowid)
    .execute();
  await schema.createIndex('beat_keys_by_time').on('beat_keys').columns(['received_at']).execute();
}

async function liveness(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('monitor_leases')
    .addColumn('process_id', text, key)
    .addColumn('seen_at', 'bigint', required)
    .addColumn('accepted_until', 'bigint', required)
    .execute();
  await schema
    .createTable('monitor_pulse')
    .addColumn('id', 'integer', key)
    .addColumn('seen_at', 'bigint', required)
    .execute();
  await schema
    .createTable('monitor_gaps')
    .addColumn('started_at', 'bigint', key)
    .addColumn('ended_at', 'bigint', required)
    .execute();
}

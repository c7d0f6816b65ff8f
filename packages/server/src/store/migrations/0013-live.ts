import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();

/** What the console watches, keeps and waits for: live events, changes of breakers, saved views, jobs. */
export const live: Migration = {
  number: 13,
  name: 'live',
  async up(writer, engine) {
    if (engine === 'postgres') await jsonArrayLength(writer);
    await eventsTable(writer.schema, engine);
    await breakerChangesTable(writer.schema, engine);
    await viewsTable(writer.schema, engine);
    await jobsTable(writer.schema, engine);
  },
};

/** SQLite's function, for text. */
async function jsonArrayLength(writer: Writer): Promise<void> {
  await sql`create function json_array_length(document text) returns integer
    language sql immutable strict parallel safe
    as 'select json_array_length(document::json)'`.execute(writer);
}

/**
 * On PostgreSQL numbers are given out before they are seen: a reader that went on from the highest would miss
 * what commits later. With its transaction's id it knows which numbers can still come.
 */
async function eventsTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  const table = schema.createTable('live_events');
  await (engine === 'sqlite'
    ? table
        .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('xid', 'bigint', (column) => column.notNull().defaultTo(0))
    : table
        .addColumn('seq', 'bigserial', key)
        .addColumn('xid', 'bigint', (column) =>
          column.notNull().defaultTo(sql`(pg_current_xact_id()::text)::bigint`),
        )
  )
    .addColumn('org_id', text, required)
    .addColumn('topic', text, required)
    .addColumn('at', 'bigint', required)
    .addColumn('data_json', text, required)
    .execute();
  await schema
    .createIndex('live_events_in_order')
    .on('live_events')
    .columns(['org_id', 'xid', 'seq'])
    .execute();
}

async function breakerChangesTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('breaker_changes')
    .addColumn('id', text, key)
    .addColumn('org_id', text, required)
    .addColumn('breaker_id', text, required)
    .addColumn('at', 'bigint', required)
    .addColumn('state', text, required)
    .addColumn('because', text, required)
    .execute();
  await schema
    .createIndex('breaker_changes_by_time')
    .on('breaker_changes')
    .columns(['org_id', 'at', 'id'])
    .execute();
  await schema
    .createIndex('breaker_changes_of_breaker')
    .on('breaker_changes')
    .columns(['org_id', 'breaker_id', 'at', 'id'])
    .execute();
}

async function viewsTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('views')
    .addColumn('id', text, required)
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('name', text, required)
    .addColumn('page', text, required)
    .addColumn('owner', text, required)
    .addColumn('shared', 'integer', required)
    .addColumn('filters_json', text, required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('updated_by', text, required)
    .addPrimaryKeyConstraint('views_key', ['org_id', 'id'])
    .execute();
}

async function jobsTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('jobs')
    .addColumn('id', text, key)
    .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
    .addColumn('kind', text, required)
    .addColumn('state', text, required)
    .addColumn('done', 'bigint', required)
    .addColumn('total', 'bigint')
    .addColumn('created_by', text, required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('seen_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addColumn('cancel_asked', 'integer', required)
    .addColumn('result_json', text)
    .addColumn('error', text)
    .execute();
  await schema.createIndex('jobs_by_time').on('jobs').columns(['org_id', 'created_at', 'id']).execute();
}

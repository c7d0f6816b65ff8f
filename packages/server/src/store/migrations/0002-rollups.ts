import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const count = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);

/** As the first release counts them; a change of the buckets is a new migration. */
const HISTOGRAM_BUCKETS = 18;
const SUMS = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost_nano_usd',
] as const;

export const rollups: Migration = {
  number: 2,
  name: 'rollups',
  async up(writer, engine) {
    const { schema } = writer;
    if (engine === 'postgres') await jsonExtract(writer);
    await schema.alterTable('orgs').addColumn('metadata_keys_json', 'text').execute();
    await metadataTable(schema, engine);
    await rollupTable(schema, engine, 'rollup_minutes');
    await rollupTable(schema, engine, 'rollup_hours');
    await pairTable(schema, engine);
    await listIndexes(writer);
  },
};

/** SQLite's function for paths of the form `$."name"`. */
async function jsonExtract(writer: Writer): Promise<void> {
  await sql`create function json_extract(document text, path text) returns text
    language sql immutable strict parallel safe
    as 'select document::json ->> (substr(path, 3)::json #>> ''{}'')'`.execute(writer);
}

async function metadataTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  await schema
    .createTable('exchange_metadata')
    .addColumn('org_id', text, required)
    .addColumn('name', text, required)
    .addColumn('value', text, required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('exchange_id', text, required)
    .addPrimaryKeyConstraint('exchange_metadata_key', [
      'org_id',
      'name',
      'value',
      'created_at',
      'exchange_id',
    ])
    .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql`partition by range (created_at)`)
    .execute();
}

async function rollupTable(schema: Writer['schema'], engine: Engine, name: string): Promise<void> {
  const text = orderedText(engine);
  let table = schema
    .createTable(name)
    .addColumn('org_id', text, required)
    .addColumn('facet', text, required)
    .addColumn('at', 'bigint', required)
    .addColumn('value', text, required);
  for (const sum of SUMS) table = table.addColumn(sum, 'bigint', count);
  table = table.addColumn('latency_ms', 'double precision', count);
  for (const histogram of ['latency', 'first_token'])
    for (let bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
      table = table.addColumn(`${histogram}_${bucket}`, 'integer', count);
  await table
    .addPrimaryKeyConstraint(`${name}_key`, ['org_id', 'facet', 'at', 'value'])
    .modifyEnd(kept(engine))
    .execute();
}

async function pairTable(schema: Writer['schema'], engine: Engine): Promise<void> {
  const text = orderedText(engine);
  let table = schema
    .createTable('rollup_pairs')
    .addColumn('org_id', text, required)
    .addColumn('facet', text, required)
    .addColumn('value', text, required)
    .addColumn('at', 'bigint', required)
    .addColumn('by_value', text, required);
  for (const sum of SUMS) table = table.addColumn(sum, 'bigint', count);
  table = table.addColumn('latency_ms', 'double precision', count);
  await table
    .addPrimaryKeyConstraint('rollup_pairs_key', ['org_id', 'facet', 'value', 'by_value', 'at'])
    .modifyEnd(kept(engine))
    .execute();
  // The other way round, for the second dimension.
  await schema
    .createIndex('rollup_pairs_by_second')
    .on('rollup_pairs')
    .columns(['org_id', 'facet', 'by_value', 'value', 'at'])
    .execute();
}

/** Rows of the current hour change with every batch: room on their page keeps the indexes untouched. */
function kept(engine: Engine) {
  return engine === 'sqlite' ? sql`without rowid` : sql`with (fillfactor = 70)`;
}

/** One index per filter of the request list, each walked backwards from the newest. */
async function listIndexes(writer: Writer): Promise<void> {
  for (const column of ['model', 'model_requested', 'provider'])
    await writer.schema
      .createIndex(`exchanges_by_${column}`)
      .on('exchanges')
      .columns(['org_id', column, 'created_at', 'id'])
      .execute();
  // What succeeds is nearly everything and found by time alone; these hold the rest. By class of status,
  // for that is what a range of them comes down to.
  await sql`create index exchanges_by_status on exchanges (org_id, (status / 100), created_at, id, status)
    where status < 200 or status >= 300`.execute(writer);
  await sql`create index exchanges_by_state on exchanges (org_id, state, created_at, id)
    where state <> 'complete'`.execute(writer);
  await sql`create index exchanges_by_route_mode on exchanges (org_id, route_mode, created_at, id)
    where route_mode <> 'unified'`.execute(writer);
}

// The migrations of an invented next release, for next-release/server.mjs.
import { sql } from 'kysely';
import { getDatabaseEngine } from '../../src/store/database-engine.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import {
  MIGRATIONS as CURRENT,
  getNewestMigrationNumber as newestOf,
} from '../../src/store/migrations/migration-list.ts';

const number = newestOf() + 1;

/** What only the next release can read: unknown kinds, and rules with unknown fields. */
const UNKNOWN_ROWS = [
  `insert into settings (name, value) values ('next_release', '1')`,
  ...['limits', 'budgets', 'relay_rules'].map(
    (table) => `insert into ${table} (id, org_id, rule_json, created_at, updated_at, updated_by)
      select 'next_release', id, '{"next_release":1}', 1, 1, 'x' from orgs`,
  ),
  ...['policies', 'routes', 'providers', 'next_release'].map(
    (kind) => `insert into config_entries (org_id, kind, id, row_id, position, entry_json, secrets_version,
        source, created_at, updated_at, updated_by)
      select id, '${kind}', 'next_release', 'next_' || id || '${kind}', 900, '{"next_release":1}', 0,
        'console', 1, 1, 'x' from orgs`,
  ),
  `insert into channels (id, org_id, name, kind, settings_json, secrets_version, enabled, source, created_at,
      updated_at, updated_by)
    select 'next_' || id, id, 'next_release', 'next_release', '{"tags":[],"realert_minutes":0,"next_release":1}', 0, 1, 'console', 1, 1, 'x'
    from orgs`,
  `insert into live_events (org_id, topic, at, data_json) select id, 'next_release', 1, '{}' from orgs`,
];

/** Adds a column to every table, so that it reaches every statement of the current release. */
const expand: Migration = {
  number,
  name: 'a-column-in-every-table',
  compatibleFrom: 1,
  async up(writer) {
    const isPostgres = getDatabaseEngine(writer) === 'postgres';
    const tables = isPostgres
      ? sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
      : sql<{
          name: string;
        }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`;
    const { rows } = await tables.execute(writer);
    for (const { name } of rows)
      await sql`alter table ${sql.table(name)} add column next_release integer not null default 7`.execute(
        writer,
      );
    for (const statement of UNKNOWN_ROWS) await sql.raw(statement).execute(writer);
  },
};

/** Removes a column that the current release uses. */
const contract: Migration = {
  number,
  name: 'no-more-views',
  compatibleFrom: number,
  async up({ schema }) {
    await schema.dropTable('views').execute();
  },
};

export const MIGRATIONS: readonly Migration[] = [
  ...CURRENT,
  process.env['FLOE_TEST_NEXT_MIGRATION'] === 'contract' ? contract : expand,
];

export function getNewestMigrationNumber(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.number ?? 0;
}

// The migrations of an invented next release, for next-release/server.mjs.
import { sql } from 'kysely';
import { getDatabaseEngine } from '../../src/store/database-engine.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import {
  MIGRATIONS as CURRENT,
  getNewestMigration as newestOf,
} from '../../src/store/migrations/migration-list.ts';

const number = newestOf() + 1;

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

export function getNewestMigration(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.number ?? 0;
}

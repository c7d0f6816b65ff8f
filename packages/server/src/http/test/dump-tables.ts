import { sql } from 'kysely';
import { getDatabaseEngine } from '../../store/database-engine.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';

/** All rows of all tables as sorted JSON, by table. */
export type TableDump = ReadonlyMap<string, readonly string[]>;

/** Reads the whole database. Partitions are read through their table. */
export async function dumpTables(reader: DatabaseReader): Promise<TableDump> {
  const list =
    getDatabaseEngine(reader) === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
      : sql<{
          name: string;
        }>`select relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
          where nspname = current_schema() and relkind in ('r', 'p') and not relispartition`;
  const found = new Map<string, readonly string[]>();
  for (const { name } of (await list.execute(reader)).rows) {
    const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(reader);
    found.set(name, rows.map((row) => JSON.stringify(row)).sort());
  }
  return found;
}

/** Rows that contain one of the texts, as `table: row`. */
export function findRowsWith(dump: TableDump, texts: readonly string[]): string[] {
  return [...dump].flatMap(([table, rows]) =>
    rows.filter((row) => texts.some((text) => row.includes(text))).map((row) => `${table}: ${row}`),
  );
}

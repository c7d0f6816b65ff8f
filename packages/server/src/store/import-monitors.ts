import { sql } from 'kysely';
import { replaceUnstorableRowText } from '../core/unstorable-characters.ts';
import { allowTransactionPauses } from './allow-transaction-pauses.ts';
import type { Database, DatabaseReader, DatabaseWriter } from './store-interfaces.ts';
import type { TableImportResult } from './table-import-result.ts';

const ROWS_PER_BATCH = 2_000;

/** The primary keys, which give the order for reading. */
const HISTORY_KEYS = {
  monitor_periods: ['uid', 'started_at'],
  beat_keys: ['uid', 'key'],
  checks: ['uid', 'at', 'id'],
} as const;

type HistoryTable = keyof typeof HISTORY_KEYS;
type HistoryRow = Readonly<Record<string, unknown>>;

/** The small tables, in an order that satisfies foreign keys. */
const STATE_TABLES = [
  'monitor_defaults',
  'monitors',
  'monitor_clocks',
  'monitor_gaps',
  'monitor_pulse',
] as const;

/**
 * Copies monitors with their states and histories, and the last time at which a process of the source
 * accepted beats. As after any restart, the time from then until the first start of the target becomes a gap.
 */
export async function copyMonitors(source: Database, target: Database): Promise<TableImportResult[]> {
  const imported: TableImportResult[] = [];
  await target.transaction(async (writer) => {
    await allowTransactionPauses(writer);
    for (const table of STATE_TABLES) {
      const rows = await source.read.selectFrom(table).selectAll().execute();
      for (let at = 0; at < rows.length; at += ROWS_PER_BATCH)
        await insertRows(writer, table, rows.slice(at, at + ROWS_PER_BATCH));
      imported.push({ table, rows: rows.length });
    }
  });
  for (const table of ['monitor_periods', 'beat_keys', 'checks'] as const)
    imported.push(await copyHistory(source, target, table));
  return imported;
}

async function copyHistory(
  source: Database,
  target: Database,
  table: HistoryTable,
): Promise<TableImportResult> {
  let copied = 0;
  let last: HistoryRow | undefined;
  do {
    const rows = await listHistoryAfter(source.read, table, last);
    if (rows.length > 0) await target.transaction((writer) => insertRows(writer, table, rows));
    copied += rows.length;
    last = rows.at(-1);
  } while (last !== undefined);
  return { table, rows: copied };
}

/** Returns the rows of existing monitors that follow the row `last` in the order of the primary key. */
export async function listHistoryAfter(
  reader: DatabaseReader,
  table: HistoryTable,
  last: HistoryRow | undefined,
): Promise<readonly HistoryRow[]> {
  const columns = HISTORY_KEYS[table];
  const key = sql.join(columns.map((column) => sql.ref(column)));
  const isAfter =
    last === undefined ? sql`true` : sql`(${key}) > (${sql.join(columns.map((column) => last[column]))})`;
  const { rows } = await sql<HistoryRow>`select * from ${sql.table(table)}
    where ${isAfter} and exists (select 1 from monitors where monitors.uid = ${sql.ref(`${table}.uid`)}) order by ${key} limit ${ROWS_PER_BATCH}`.execute(
    reader,
  );
  return rows;
}

async function insertRows(
  writer: DatabaseWriter,
  table: HistoryTable | (typeof STATE_TABLES)[number],
  rows: readonly object[],
): Promise<void> {
  // SQLite may contain U+0000 from earlier releases.
  await writer
    .insertInto(table)
    .values(toRows(rows.map(replaceUnstorableRowText)))
    .execute();
}

/** Converts the type of imported rows. Both databases have the same tables and columns. */
function toRows(rows: readonly object[]) {
  return rows as never[];
}

import { replaceUnstorableRowText } from '../core/unstorable-characters.ts';
import { allowTransactionPauses } from './allow-transaction-pauses.ts';
import type { Database, DatabaseWriter } from './store-interfaces.ts';
import type { TableImportResult } from './table-import-result.ts';

const ROWS_PER_BATCH = 2_000;
const MONITORS_PER_BATCH = 200;

/** Unique columns that give a stable order for reading. */
const HISTORY_ORDER_COLUMNS = { monitor_periods: 'started_at', beat_keys: 'key', checks: 'id' } as const;

type HistoryTable = keyof typeof HISTORY_ORDER_COLUMNS;

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
  const monitors = await source.read.selectFrom('monitors').select('uid').execute();
  const uids = monitors.map(({ uid }) => uid);
  for (const table of ['monitor_periods', 'beat_keys', 'checks'] as const)
    imported.push(await copyHistory(source, target, table, uids));
  return imported;
}

async function copyHistory(
  source: Database,
  target: Database,
  table: HistoryTable,
  uids: readonly string[],
): Promise<TableImportResult> {
  let copied = 0;
  for (let at = 0; at < uids.length; at += MONITORS_PER_BATCH)
    for (let offset = 0; ; offset += ROWS_PER_BATCH) {
      const rows = await source.read
        .selectFrom(table)
        .selectAll()
        .where('uid', 'in', uids.slice(at, at + MONITORS_PER_BATCH))
        .orderBy('uid')
        .orderBy((of) => of.ref(HISTORY_ORDER_COLUMNS[table]))
        .limit(ROWS_PER_BATCH)
        .offset(offset)
        .execute();
      if (rows.length > 0) await target.transaction((writer) => insertRows(writer, table, rows));
      copied += rows.length;
      if (rows.length < ROWS_PER_BATCH) break;
    }
  return { table, rows: copied };
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

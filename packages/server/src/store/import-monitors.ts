import { allowTransactionPauses } from './allow-transaction-pauses.ts';
import type { Database, DatabaseWriter } from './store-interfaces.ts';
import type { TableImportResult } from './table-import-result.ts';

const ROWS_PER_BATCH = 2_000;
const MONITORS_PER_BATCH = 200;

/** Unique columns that give a stable order for reading. */
const HISTORY_ORDER_COLUMNS = { monitor_periods: 'started_at', beat_keys: 'key', checks: 'id' } as const;

type HistoryTable = keyof typeof HISTORY_ORDER_COLUMNS;
type MonitoringTable =
  | HistoryTable
  | 'monitors'
  | 'monitor_clocks'
  | 'monitor_defaults'
  | 'monitor_gaps'
  | 'monitor_pulse';

/**
 * Copies monitors with their states and histories, and the last time at which a process of the source
 * accepted beats. As after any restart, the time from then until the first start of the target becomes a gap.
 * If the target has a monitor with the same id, it keeps its definition and state, and only the history is
 * copied.
 */
export async function copyMonitors(source: Database, target: Database): Promise<TableImportResult[]> {
  const monitors = await source.read.selectFrom('monitors').selectAll().execute();
  const defaults = await source.read.selectFrom('monitor_defaults').selectAll().execute();
  const imported: TableImportResult[] = [];
  const uids = await target.transaction(async (writer) => {
    await allowTransactionPauses(writer);
    imported.push(await insertNewRows(writer, 'monitor_defaults', defaults));
    imported.push(await insertNewRows(writer, 'monitors', monitors));
    const theirs = await writer.selectFrom('monitors').select(['uid', 'org_id', 'id']).execute();
    const byName = new Map(theirs.map((row) => [`${row.org_id}\n${row.id}`, row.uid]));
    const mapped = new Map(
      monitors.map((row) => [row.uid, byName.get(`${row.org_id}\n${row.id}`) ?? row.uid]),
    );
    imported.push(await copyStates(source, writer, mapped));
    await copyLiveness(source, writer);
    return mapped;
  });
  for (const table of ['monitor_periods', 'beat_keys', 'checks'] as const)
    imported.push(await copyHistory(source, target, table, uids));
  return imported;
}

/**
 * Copies monitor states. If both databases have a state of the same monitor, keeps the one that was evaluated
 * up to a later time, so that a second import copies the latest beats.
 */
async function copyStates(
  source: Database,
  writer: DatabaseWriter,
  uids: ReadonlyMap<string, string>,
): Promise<TableImportResult> {
  const clocks = await source.read.selectFrom('monitor_clocks').selectAll().execute();
  const own = clocks.filter(({ uid }) => uids.get(uid) === uid);
  for (const { uid, settled_at } of own)
    await writer
      .deleteFrom('monitor_clocks')
      .where('uid', '=', uid)
      .where('settled_at', '<', settled_at)
      .execute();
  const { added } = await insertNewRows(writer, 'monitor_clocks', own);
  return { table: 'monitor_clocks', added, known: clocks.length - added };
}

/** Copies gaps and the time of the last pulse. */
async function copyLiveness(source: Database, writer: DatabaseWriter): Promise<void> {
  await insertNewRows(
    writer,
    'monitor_gaps',
    await source.read.selectFrom('monitor_gaps').selectAll().execute(),
  );
  const pulse = await source.read.selectFrom('monitor_pulse').selectAll().execute();
  for (const { seen_at } of pulse)
    await writer.deleteFrom('monitor_pulse').where('seen_at', '<', seen_at).execute();
  await insertNewRows(writer, 'monitor_pulse', pulse);
}

async function copyHistory(
  source: Database,
  target: Database,
  table: HistoryTable,
  uids: ReadonlyMap<string, string>,
): Promise<TableImportResult> {
  let [added, known] = [0, 0];
  const all = [...uids.keys()];
  for (let at = 0; at < all.length; at += MONITORS_PER_BATCH)
    for (let offset = 0; ; offset += ROWS_PER_BATCH) {
      const rows = await source.read
        .selectFrom(table)
        .selectAll()
        .where('uid', 'in', all.slice(at, at + MONITORS_PER_BATCH))
        .orderBy('uid')
        .orderBy((of) => of.ref(HISTORY_ORDER_COLUMNS[table]))
        .limit(ROWS_PER_BATCH)
        .offset(offset)
        .execute();
      const here = rows.map((row) => ({ ...row, uid: uids.get(row.uid) ?? row.uid }));
      const one = await target.transaction((writer) => insertNewRows(writer, table, here));
      added += one.added;
      known += one.known;
      if (rows.length < ROWS_PER_BATCH) break;
    }
  return { table, added, known };
}

async function insertNewRows(
  writer: DatabaseWriter,
  table: MonitoringTable,
  rows: readonly object[],
): Promise<TableImportResult> {
  let added = 0;
  for (let at = 0; at < rows.length; at += ROWS_PER_BATCH) {
    const { numInsertedOrUpdatedRows = 0n } = await writer
      .insertInto(table)
      .values(toRows(rows.slice(at, at + ROWS_PER_BATCH)))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    added += Number(numInsertedOrUpdatedRows);
  }
  return { table, added, known: rows.length - added };
}

/** Converts the type of imported rows. Both databases have the same tables and columns. */
function toRows(rows: readonly object[]) {
  return rows as never[];
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { formatCountWithNoun } from '../core/count-with-noun.ts';
import { FatalError } from '../core/fatal-error.ts';
import type { Log } from '../core/log.ts';
import { replaceUnstorableRowText } from '../core/unstorable-characters.ts';
import { allowTransactionPauses } from './allow-transaction-pauses.ts';
import { createPrivateDirectory } from './create-private-directory.ts';
import type { DatabaseLocation } from './database-backup.ts';
import { copyAlerts } from './import-alerts.ts';
import { beginImport, completeImport } from './import-marker.ts';
import { copyMonitors } from './import-monitors.ts';
import { isPostgresUrl, openDatabase, resolveSqlitePath } from './open-database.ts';
import { copyUnusedSqliteDatabase } from './sqlite/copy-sqlite.ts';
import type { Database, DatabaseWriter, ExchangeRow } from './store-interfaces.ts';
import type { TableImportResult } from './table-import-result.ts';

const ROWS_PER_BATCH = 2_000;
/** Number of rows per batch in tables whose rows may have several megabytes. */
const LARGE_ROWS_PER_BATCH = 20;

/**
 * Imports a SQLite database into the empty PostgreSQL database at `place`, except for tables about
 * processes (`TABLES_EXCLUDED_FROM_IMPORT`). Changes that a server makes during or after the import would be lost, so
 * no server may use the file. Until the import is complete, no server can use the target.
 *
 * @throws FatalError if `place` is not an empty PostgreSQL database, or if a process uses the SQLite
 * database
 */
export async function importSqliteDatabase(
  from: string,
  place: DatabaseLocation,
  parts: { readonly log: Log; readonly clock: Clock },
): Promise<TableImportResult[]> {
  if (!isPostgresUrl(place.url))
    throw new FatalError(
      'The target must be PostgreSQL. Set storage.database or FLOE_DATABASE_URL to the PostgreSQL database that you want to copy to.',
    );
  createPrivateDirectory(place.dataDir);
  const directory = await mkdtemp(join(place.dataDir, 'import-'));
  try {
    const copy = join(directory, 'floe.db');
    const original = await copyUnusedSqliteDatabase(resolveSqlitePath(from, place.dataDir), copy, parts);
    try {
      return await importCopy(copy, directory, place, parts);
    } finally {
      original.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function importCopy(
  copy: string,
  directory: string,
  place: DatabaseLocation,
  parts: { readonly log: Log; readonly clock: Clock },
): Promise<TableImportResult[]> {
  const source = await openDatabase(`sqlite:${copy}`, { ...parts, dataDir: directory });
  const target = await openDatabase(place.url, { ...parts, dataDir: place.dataDir });
  try {
    await target.transaction(beginImport);
    const imported = [
      ...(await copyTables(source, target)),
      ...(await copyMonitors(source, target)),
      ...(await copyAlerts(source, target)),
    ];
    for (const table of BATCHED_TABLES) imported.push(await copyInBatches(source, target, table));
    imported.push(await copyExchanges(source, target, directory));
    await target.transaction(completeImport);
    return imported;
  } finally {
    await source.close();
    await target.close();
  }
}

/** The tables that are copied as a whole, in an order that satisfies foreign keys. */
const SMALL_TABLES = [
  'orgs',
  'users',
  'members',
  'member_grants',
  'removed_members',
  'operators',
  'sessions',
  'passkeys',
  'identities',
  'sign_in_attempts',
  'used_tokens',
  'teams',
  'invitations',
  'platform_keys',
  'channels',
  'limits',
  'budgets',
  'relay_rules',
  'relay_approvals',
  'relay_sessions',
  'config_entries',
  'provider_credentials',
  'idempotent_creations',
  'provider_resources',
  'views',
  'breaker_changes',
  // How much of the spend journal is in the sums. Without it, the journal would be counted again.
  'spend_journals',
  'budget_spend',
  'boards',
  'maintenance_windows',
  'audit',
  'settings',
] as const;

/**
 * The tables that are not imported, with the reason: they describe processes or are derived from imported
 * tables.
 */
export const TABLES_EXCLUDED_FROM_IMPORT: Readonly<Record<string, string>> = {
  jobs: 'background jobs belong to the processes of the source installation',
  live_events: 'short-lived events for clients of the source installation',
  monitor_leases: 'records which processes of the source installation accept beats',
  monitor_gaps: 'copied with the monitors',
  monitor_pulse: 'copied with the monitors',
  replicas: 'processes of the source installation',
  migrations: 'the target has its own migrations',
  snapshot_changes: 'written by triggers in the PostgreSQL database',
  exchange_metadata: 'created again when each exchange is imported',
  rollup_minutes: 'recalculated from the imported exchanges',
  rollup_hours: 'recalculated from the imported exchanges',
  rollup_pairs: 'recalculated from the imported exchanges',
};

/** Copies the small tables. */
async function copyTables(source: Database, target: Database): Promise<TableImportResult[]> {
  const imported: TableImportResult[] = [];
  await target.transaction(async (writer) => {
    await allowTransactionPauses(writer);
    for (const table of SMALL_TABLES) {
      const rows = await source.read.selectFrom(table).selectAll().execute();
      for (let at = 0; at < rows.length; at += ROWS_PER_BATCH)
        await insertRows(writer, table, toStorableRows(table, rows.slice(at, at + ROWS_PER_BATCH)));
      imported.push({ table, rows: rows.length });
    }
  });
  return imported;
}

/** SQLite may contain U+0000 from earlier releases. The entries of the audit log are hashed, so they stay unchanged. */
function toStorableRows(table: (typeof SMALL_TABLES)[number], rows: readonly object[]): readonly object[] {
  return table === 'audit' ? rows : rows.map(replaceUnstorableRowText);
}

async function insertRows(
  writer: DatabaseWriter,
  table: (typeof SMALL_TABLES)[number] | BatchedTable,
  rows: readonly object[],
): Promise<void> {
  await writer.insertInto(table).values(toRows(rows)).execute();
}

/** Converts the type of imported rows. Both databases have the same tables and columns. */
function toRows(rows: readonly object[]) {
  return rows as never[];
}

/** The large tables. They are copied in batches. */
const BATCHED_TABLES = [
  'stored_responses',
  'background_responses',
  'stored_bodies',
  'relay_decisions',
  'relay_reports',
] as const;
type BatchedTable = (typeof BATCHED_TABLES)[number];

async function copyInBatches(
  source: Database,
  target: Database,
  table: BatchedTable,
): Promise<TableImportResult> {
  let [copied, lastId] = [0, ''];
  for (;;) {
    const rows = await source.read
      .selectFrom(table)
      .selectAll()
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(LARGE_ROWS_PER_BATCH)
      .execute();
    const last = rows.at(-1);
    if (!last) return { table, rows: copied };
    await target.transaction((writer) => insertRows(writer, table, rows));
    copied += rows.length;
    lastId = last.id;
  }
}

/** Copies exchanges with the function that the spool uses, which also counts each row in the rollups. */
async function copyExchanges(
  source: Database,
  target: Database,
  directory: string,
): Promise<TableImportResult> {
  const path = join(directory, 'rows.jsonl');
  let [copied, lastId] = [0, ''];
  for (;;) {
    const rows = await readExchangeBatch(source, lastId);
    const last = rows.at(-1);
    if (!last) return { table: 'exchanges', rows: copied };
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    await writeFile(path, text);
    const result = await target.ingest({ path, from: 0, to: Buffer.byteLength(text), last: true });
    if (result.rejected.length > 0)
      throw new FatalError(
        `PostgreSQL rejected ${formatCountWithNoun(result.rejected.length, 'request row')}${lastId === '' ? '' : ` after the id ${lastId}`}, so the copy is incomplete. These rows exist only in the SQLite database. Keep the SQLite database, and report the problem with the errors in the PostgreSQL log.`,
      );
    copied += result.inserted;
    lastId = last.id;
  }
}

function readExchangeBatch(source: Database, afterId: string): Promise<ExchangeRow[]> {
  return source.read
    .selectFrom('exchanges')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(ROWS_PER_BATCH)
    .execute();
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { allowTransactionPauses } from './allow-transaction-pauses.ts';
import { createPrivateDirectory } from './create-private-directory.ts';
import type { DatabaseLocation } from './database-backup.ts';
import { copyAlerts } from './import-alerts.ts';
import { copyMonitors } from './import-monitors.ts';
import { isPostgresUrl, openDatabase, resolveSqlitePath } from './open-database.ts';
import { getSetting } from './settings.ts';
import { copySqliteDatabase } from './sqlite/copy-sqlite.ts';
import type { Database, DatabaseWriter, ExchangeRow } from './store-interfaces.ts';
import { StoreUnusableError } from './store-unusable-error.ts';
import type { TableImportResult } from './table-import-result.ts';

const ROWS_PER_BATCH = 2_000;
/** Number of stored responses per batch. A response may have several megabytes. */
const TURNS_PER_BATCH = 20;
/** The setting that `bindDatabaseToSecretKey` writes. Both databases must use the same secret key. */
const FINGERPRINT_SETTING = 'secret_fingerprint';

/**
 * Imports a SQLite database into the PostgreSQL database at `place`, except for tables about
 * processes (`TABLES_EXCLUDED_FROM_IMPORT`). Does not change existing rows, so the import can be
 * repeated. Reads from a copy, so a server may be using the file.
 *
 * @throws StoreUnusableError if `place` is not PostgreSQL, or the databases use different secret
 * keys
 */
export async function importSqliteDatabase(
  from: string,
  place: DatabaseLocation,
  parts: { readonly log: Log; readonly clock: Clock },
): Promise<TableImportResult[]> {
  if (!isPostgresUrl(place.url))
    throw new StoreUnusableError(
      'The target must be PostgreSQL. Set storage.database or FLOE_DATABASE_URL to the PostgreSQL database that you want to copy to.',
    );
  createPrivateDirectory(place.dataDir);
  const directory = await mkdtemp(join(place.dataDir, 'import-'));
  try {
    const copy = join(directory, 'floe.db');
    await copySqliteDatabase(resolveSqlitePath(from, place.dataDir), copy, parts);
    const source = await openDatabase(`sqlite:${copy}`, { ...parts, dataDir: directory });
    const target = await openDatabase(place.url, { ...parts, dataDir: place.dataDir });
    try {
      await requireSameSecretKey(source, target);
      return [
        ...(await copyTables(source, target)),
        ...(await copyMonitors(source, target)),
        ...(await copyAlerts(source, target)),
        await copyInBatches(source, target, 'stored_responses'),
        await copyInBatches(source, target, 'background_responses'),
        await copyInBatches(source, target, 'stored_bodies'),
        await copyInBatches(source, target, 'relay_decisions'),
        await copyInBatches(source, target, 'relay_reports'),
        await copyExchanges(source, target, directory),
      ];
    } finally {
      await source.close();
      await target.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function requireSameSecretKey(source: Database, target: Database): Promise<void> {
  const [own, theirs] = await Promise.all([
    getSetting(source.read, FINGERPRINT_SETTING),
    getSetting(target.read, FINGERPRINT_SETTING),
  ]);
  if (own !== undefined && theirs !== undefined && own !== theirs)
    throw new StoreUnusableError(
      'The two databases use different secret keys, so Floe could not read the copied keys and credentials. Set FLOE_SECRET_KEY to the key of the SQLite database, and use an empty PostgreSQL database.',
    );
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
  monitor_leases: 'which process evaluates monitors',
  monitor_gaps: 'copied with the monitors',
  monitor_pulse: 'copied with the monitors',
  replicas: 'processes of the source installation',
  migrations: 'the target has its own migrations',
  snapshot_changes: 'written by triggers of the target',
  exchange_metadata: 'recreated with each exchange',
  rollup_minutes: 'recounted with each exchange',
  rollup_hours: 'recounted with each exchange',
  rollup_pairs: 'recounted with each exchange',
};

/** Copies the small tables. */
async function copyTables(source: Database, target: Database): Promise<TableImportResult[]> {
  const imported: TableImportResult[] = [];
  await target.transaction(async (writer) => {
    await allowTransactionPauses(writer);
    for (const table of SMALL_TABLES) {
      const found = await source.read.selectFrom(table).selectAll().execute();
      const rows = table === 'audit' ? await dropConflictingChains(writer, found) : found;
      let added = 0;
      for (let at = 0; at < rows.length; at += ROWS_PER_BATCH)
        added += await insertNewRows(writer, table, rows.slice(at, at + ROWS_PER_BATCH));
      imported.push({ table, added, known: rows.length - added });
    }
    await target.signals.announce(writer);
  });
  return imported;
}

/**
 * Removes audit entries from their chain if the target already has a chain for the organization, because an
 * organization has only one.
 */
async function dropConflictingChains(
  writer: DatabaseWriter,
  rows: readonly object[],
): Promise<readonly object[]> {
  const chains = await writer
    .selectFrom('audit')
    .select('org_id')
    .distinct()
    .where('seq', 'is not', null)
    .execute();
  const chained = new Set<unknown>(chains.map(({ org_id }) => org_id));
  return rows.map((row) =>
    'org_id' in row && chained.has(row.org_id) ? { ...row, seq: null, hash: null } : row,
  );
}

async function insertNewRows(
  writer: DatabaseWriter,
  table: (typeof SMALL_TABLES)[number] | BatchedTable,
  rows: readonly object[],
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await writer
    .insertInto(table)
    .values(toRows(rows))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

/** Converts the type of imported rows. Both databases have the same tables and columns. */
function toRows(rows: readonly object[]) {
  return rows as never[];
}

/** The large tables. They are copied in batches. */
type BatchedTable =
  | 'stored_responses'
  | 'background_responses'
  | 'stored_bodies'
  | 'relay_decisions'
  | 'relay_reports';

async function copyInBatches(
  source: Database,
  target: Database,
  table: BatchedTable,
): Promise<TableImportResult> {
  let [added, known, lastId] = [0, 0, ''];
  for (;;) {
    const rows = await source.read
      .selectFrom(table)
      .selectAll()
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(TURNS_PER_BATCH)
      .execute();
    const last = rows.at(-1);
    if (!last) return { table, added, known };
    const inserted = await target.transaction((writer) => insertNewRows(writer, table, rows));
    added += inserted;
    known += rows.length - inserted;
    lastId = last.id;
  }
}

/**
 * Copies exchanges with the function that the spool uses. It adds each new row to the rollups and ignores
 * existing ones.
 */
async function copyExchanges(
  source: Database,
  target: Database,
  directory: string,
): Promise<TableImportResult> {
  const path = join(directory, 'rows.jsonl');
  let [added, known, lastId] = [0, 0, ''];
  for (;;) {
    const rows = await readExchangeBatch(source, lastId);
    const last = rows.at(-1);
    if (!last) return { table: 'exchanges', added, known };
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    await writeFile(path, text);
    const result = await target.ingest({ path, from: 0, to: Buffer.byteLength(text), last: true });
    if (result.rejected.length > 0)
      throw new StoreUnusableError(
        `PostgreSQL rejected ${result.rejected.length} request rows after the id ${lastId}, so the copy is incomplete. These rows exist only in the SQLite database. Keep this database, and report the problem with the errors in the PostgreSQL log.`,
      );
    added += result.inserted;
    known += result.known;
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

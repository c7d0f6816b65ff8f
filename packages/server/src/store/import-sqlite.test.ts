// Tier: ci. Imports thousands of rows between databases.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../core/clock.ts';
import { FatalError } from '../core/fatal-error.ts';
import { silentLog } from '../core/log.ts';
import { appendAuditEntry } from './audit-entries.ts';
import { insertBreakerChange } from './breaker-changes.ts';
import { getExchangePage } from './exchanges.ts';
import { requireCompleteImport } from './import-marker.ts';
import { importSqliteDatabase, TABLES_EXCLUDED_FROM_IMPORT } from './import-sqlite.ts';
import { planMigrations } from './migrations/plan-migrations.ts';
import { openDatabase } from './open-database.ts';
import { insertOrg } from './orgs.ts';
import { insertPlatformKey } from './platform-keys.ts';
import { readPostgresMigrationState } from './postgres/postgres-migration-state.ts';
import { insertProviderResources } from './provider-resources.ts';
import { getRollupTotals } from './rollups/read-rollups.ts';
import { HOUR_MS } from './rollups/rollup-accumulator.ts';
import { ROLLUP_FIGURE_COLUMNS } from './rollups/rollup-figures.ts';
import { upsertSavedView } from './saved-views.ts';
import { bindDatabaseToSecretKey, type InstallationSecretKey } from './secret-key.ts';
import type { Database, DatabaseWriter } from './store-interfaces.ts';
import { insertStoredResponses } from './stored-responses.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestDatabase } from './test/postgres-database.ts';
import { createTestExchangeRow, createTestPlatformKeyRow, TEST_ORG_ID } from './test/rows.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';

const quiet = { log: silentLog, clock: systemClock };
const T0 = Date.UTC(2026, 10, 21);
const ROWS = 4_500;
/** More than one batch of them. */
const TURNS = Array.from({ length: 45 }, (_, n) => ({
  id: `exc_t${n}`,
  org_id: TEST_ORG_ID,
  key_id: 'key_one',
  response_id: `resp_${n}`,
  previous_id: n === 0 ? null : `exc_t${n - 1}`,
  created_at: T0,
  origin: 'o',
  stored_by_provider: 0,
  sealed: 's',
}));

/** A key that is in no data directory. */
const secretOf = (fill: number): InstallationSecretKey => ({
  key: Buffer.alloc(32, fill),
  isGenerated: false,
  file: 'secret.key',
  remember: () => undefined,
});

async function filledSqlite(t: TestContext, dataDir: string): Promise<Database> {
  const database = await openDatabase('sqlite:', { ...quiet, dataDir });
  t.after(() => database.close());
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1, metadata_keys_json: '["env"]' });
    await insertPlatformKey(writer, createTestPlatformKeyRow('key_one', { last_used_at: 7 }));
    const entry = { id: 'aud_1', org_id: TEST_ORG_ID, at: 5, actor: 'setup', action: 'keys.create' };
    await appendAuditEntry(writer, { ...entry, subject: 'key_one', before_json: null, after_json: '{}' });
    await insertStoredResponses(writer, TURNS);
    await fillRest(writer);
    await bindDatabaseToSecretKey(writer, secretOf(1));
  });
  const rows = Array.from({ length: ROWS }, (_, n) =>
    createTestExchangeRow(`exc_${String(n).padStart(5, '0')}`, {
      created_at: T0 + n * 60_000,
      metadata_json: JSON.stringify({ env: n % 2 ? 'prod' : 'test' }),
      status: n % 7 === 0 ? 500 : 200,
    }),
  );
  await ingestRows(t, database, rows);
  return database;
}

/** A row in tables that nothing above writes. */
async function fillRest(writer: DatabaseWriter): Promise<void> {
  await insertProviderResources(writer, [
    {
      org_id: TEST_ORG_ID,
      resource_id: 'file-1',
      provider: 'main',
      credential: 'default',
      kind: 'files',
      key_id: 'key_one',
      created_at: T0,
      counted: 0,
    },
  ]);
  const times = { created_at: T0, updated_at: T0, updated_by: 'key_one' };
  await upsertSavedView(writer, {
    id: 'view_1',
    org_id: TEST_ORG_ID,
    name: 'Slow',
    page: 'requests',
    owner: 'key_one',
    shared: 1,
    filters_json: '{}',
    ...times,
  });
  const change = { id: 'brc_1', org_id: TEST_ORG_ID, breaker_id: 'main/m@default', at: T0, because: 'down' };
  await insertBreakerChange(writer, { ...change, state: 'open' });
  await writer.insertInto('spend_journals').values({ id: 'jrn_1', applied: 9, updated_at: T0 }).execute();
  await writer
    .insertInto('stored_bodies')
    .values({ id: 'exc_1', org_id: TEST_ORG_ID, key_id: 'key_one', owner: null, created_at: T0, sealed: 's' })
    .execute();
  // Numbers of its own in either database: the first alert of the source is none of the target's.
  for (const n of [7, 9]) {
    await writer
      .insertInto('alerts')
      .values({ ...ALERT, seq: n, id: `alr_${n}`, idempotency_key: `${n}` })
      .execute();
    await writer
      .insertInto('alert_deliveries')
      .values({ ...DELIVERY, id: `dlv_${n}`, alert_id: `alr_${n}`, alert_seq: n })
      .execute();
  }
}

const ALERT = {
  org_id: TEST_ORG_ID,
  at: T0,
  event: 'monitor_failing',
  phase: 'opens',
  subject_kind: 'monitor',
  subject_id: 'mon_1',
  subject_name: 'Nightly',
  fields_json: '{}',
  channels_json: null,
  routed_at: T0,
  closed_at: null,
};
const DELIVERY = {
  org_id: TEST_ORG_ID,
  channel_id: 'chn_1',
  channel_name: 'ops',
  repetition: 0,
  state: 'sent',
  pending_reason: null,
  created_at: T0,
  due_at: T0,
  attempts: 1,
  sent_at: T0,
  status: 200,
  error: null,
  grouped_into: null,
};

const contents = async (database: Database) => ({
  alerts: await database.read
    .selectFrom('alerts')
    .innerJoin('alert_deliveries', 'alert_deliveries.alert_seq', 'alerts.seq')
    .select(['alerts.id', 'alert_deliveries.alert_id', 'alert_deliveries.state'])
    .orderBy('alerts.seq')
    .execute(),
  keys: await database.read.selectFrom('platform_keys').selectAll().execute(),
  audit: await database.read.selectFrom('audit').selectAll().execute(),
  turns: await database.read.selectFrom('stored_responses').selectAll().orderBy('id').execute(),
  newest: await getExchangePage(database.read, {
    orgId: TEST_ORG_ID,
    limit: 100,
    metadata: { env: { any: ['prod'], none: [] } },
  }),
  sums: await getRollupTotals(database.read, {
    orgId: TEST_ORG_ID,
    from: T0,
    to: T0 + 24 * 30 * HOUR_MS,
    unit: 'hour',
    figures: ROLLUP_FIGURE_COLUMNS,
  }),
});

test('an imported installation has the same rows and sums', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const source = await filledSqlite(t, dataDir);
  const url = await createTestDatabase(t);
  const from = `sqlite:${join(dataDir, 'floe.db')}`;
  const expected = await contents(source);
  await source.close();
  const imported = await importSqliteDatabase(from, { url, dataDir }, quiet);
  assert.deepEqual(imported, [
    { table: 'orgs', rows: 1 },
    { table: 'users', rows: 0 },
    { table: 'members', rows: 0 },
    { table: 'member_grants', rows: 0 },
    { table: 'removed_members', rows: 0 },
    { table: 'operators', rows: 0 },
    { table: 'sessions', rows: 0 },
    { table: 'passkeys', rows: 0 },
    { table: 'identities', rows: 0 },
    { table: 'sign_in_attempts', rows: 0 },
    { table: 'used_tokens', rows: 0 },
    { table: 'teams', rows: 0 },
    { table: 'invitations', rows: 0 },
    { table: 'platform_keys', rows: 1 },
    { table: 'channels', rows: 0 },
    { table: 'limits', rows: 0 },
    { table: 'budgets', rows: 0 },
    { table: 'relay_rules', rows: 0 },
    { table: 'relay_approvals', rows: 0 },
    { table: 'relay_sessions', rows: 0 },
    { table: 'config_entries', rows: 0 },
    { table: 'provider_credentials', rows: 0 },
    { table: 'idempotent_creations', rows: 0 },
    { table: 'provider_resources', rows: 1 },
    { table: 'views', rows: 1 },
    { table: 'breaker_changes', rows: 1 },
    { table: 'spend_journals', rows: 1 },
    { table: 'budget_spend', rows: 0 },
    { table: 'boards', rows: 0 },
    { table: 'maintenance_windows', rows: 0 },
    { table: 'audit', rows: 1 },
    { table: 'settings', rows: 1 },
    { table: 'monitor_defaults', rows: 0 },
    { table: 'monitors', rows: 0 },
    { table: 'monitor_clocks', rows: 0 },
    { table: 'monitor_gaps', rows: 0 },
    { table: 'monitor_pulse', rows: 0 },
    { table: 'monitor_periods', rows: 0 },
    { table: 'beat_keys', rows: 0 },
    { table: 'checks', rows: 0 },
    { table: 'alerts', rows: 2 },
    { table: 'alert_deliveries', rows: 2 },
    { table: 'stored_responses', rows: TURNS.length },
    { table: 'background_responses', rows: 0 },
    { table: 'stored_bodies', rows: 1 },
    { table: 'relay_decisions', rows: 0 },
    { table: 'relay_reports', rows: 0 },
    { table: 'exchanges', rows: ROWS },
  ]);
  const target = await openDatabase(url, { ...quiet, dataDir });
  t.after(() => target.close());
  assert.deepEqual(await contents(target), expected);
  assert.deepEqual(planMigrations((await readPostgresMigrationState(url, Date.now())).applied), []);
  t.diagnostic(`${ROWS} exchanges imported, 0 lost, 0 doubled`);
});

test('every table is imported, or listed with the reason why it is not', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const source = await filledSqlite(t, dataDir);
  // The test's own file: its list of tables is what every database has.
  const { rows } = await source.transaction((writer) =>
    sql<{ name: string }>`
      select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(writer),
  );
  await source.close();
  const imported = await importSqliteDatabase(
    'sqlite:',
    { url: await createTestDatabase(t), dataDir },
    quiet,
  );
  const accounted = new Set([
    ...imported.map(({ table }) => table),
    ...Object.keys(TABLES_EXCLUDED_FROM_IMPORT),
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !accounted.has(name)),
    [],
  );
});

const MONITOR = {
  uid: 'mon_1',
  org_id: TEST_ORG_ID,
  id: 'job',
  name: 'job',
  description: '',
  interval_ms: 60_000,
  alert_after_misses: 1,
  fail_counts_as_miss: 0,
  tags_json: '[]',
  channels_json: '[]',
  paused: 0,
  token_version: 0,
  source: 'console',
  created_at: T0,
  updated_at: T0,
  updated_by: 'test',
} as const;

test('text that PostgreSQL cannot store does not prevent the import', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const source = await filledSqlite(t, dataDir);
  await source.transaction(async (writer) => {
    await writer.updateTable('orgs').set({ name: 'a\0b' }).execute();
    await writer
      .insertInto('monitors')
      .values({ ...MONITOR, name: 'x\0y' })
      .execute();
  });
  await source.close();
  const url = await createTestDatabase(t);
  await importSqliteDatabase('sqlite:', { url, dataDir }, quiet);
  const target = await openDatabase(url, { ...quiet, dataDir });
  t.after(() => target.close());
  const read = async (table: 'orgs' | 'monitors') =>
    (await target.read.selectFrom(table).select('name').execute()).map(({ name }) => name);
  assert.deepEqual(await read('orgs'), ['a\ufffdb']);
  assert.deepEqual(await read('monitors'), ['x\ufffdy']);
});

const refusal = (message: RegExp) => (error: unknown) =>
  error instanceof FatalError && message.test(error.message);

test('an import needs an empty PostgreSQL database', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  await (await filledSqlite(t, dataDir)).close();
  const used = await createTestDatabase(t);
  const target = await openDatabase(used, { ...quiet, dataDir });
  await target.transaction((writer) => bindDatabaseToSecretKey(writer, secretOf(1)));
  await target.close();
  await assert.rejects(
    importSqliteDatabase('sqlite:', { url: used, dataDir }, quiet),
    refusal(
      /not empty: the table settings contains rows. Nothing was copied\. To copy the data, create an empty/,
    ),
  );
  await assert.rejects(
    importSqliteDatabase('sqlite:', { url: 'sqlite:', dataDir }, quiet),
    refusal(/PostgreSQL/),
  );
  await assert.rejects(
    importSqliteDatabase('sqlite:./nothing.db', { url: used, dataDir }, quiet),
    refusal(/No database exists/),
  );
});

test('a second import, which could undo changes such as a revocation, is refused', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const source = await filledSqlite(t, dataDir);
  await source.close();
  const url = await createTestDatabase(t);
  await importSqliteDatabase('sqlite:', { url, dataDir }, quiet);
  const reopened = await openDatabase('sqlite:', { ...quiet, dataDir });
  await reopened.transaction((writer) =>
    writer.updateTable('platform_keys').set({ revoked_at: T0 }).where('id', '=', 'key_one').execute(),
  );
  await reopened.close();
  await assert.rejects(importSqliteDatabase('sqlite:', { url, dataDir }, quiet), refusal(/is not empty/));
});

test('an import is refused while a process uses the SQLite database, even an idle one', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const source = await filledSqlite(t, dataDir);
  const url = await createTestDatabase(t);
  await assert.rejects(
    importSqliteDatabase('sqlite:', { url, dataDir }, quiet),
    refusal(/Another process is using .*floe\.db\. Nothing was copied\. Stop the Floe server/),
  );
  await source.close();
  await importSqliteDatabase('sqlite:', { url, dataDir }, quiet);
});

test('no server uses the target of an import that failed, and another import does not continue it', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const source = await filledSqlite(t, dataDir);
  await source.transaction((writer) =>
    writer.updateTable('stored_bodies').set({ sealed: 'not\0storable in PostgreSQL' }).execute(),
  );
  await source.close();
  const url = await createTestDatabase(t);
  await assert.rejects(importSqliteDatabase('sqlite:', { url, dataDir }, quiet));
  const target = await openDatabase(url, { ...quiet, dataDir });
  t.after(() => target.close());
  await assert.rejects(requireCompleteImport(target.read), refusal(/only a part of the SQLite database/));
  await assert.rejects(importSqliteDatabase('sqlite:', { url, dataDir }, quiet), refusal(/did not complete/));
});

test('a database remains bound to the secret key that it was first used with', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { ...quiet, dataDir });
  t.after(() => database.close());
  const claim = (fill: number) =>
    database.transaction((writer) => bindDatabaseToSecretKey(writer, secretOf(fill)));
  await claim(1);
  await claim(1);
  await assert.rejects(
    claim(2),
    (error) => error instanceof FatalError && /a different secret key/.test(error.message),
  );
});

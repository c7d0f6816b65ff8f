// Tier: ci. Every suite of the store once more, on PostgreSQL.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { sql } from 'kysely';
import { systemClock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import { silentLog } from '../../core/log.ts';
import { alertsSuite } from '../alerts.suite.ts';
import { auditSuite } from '../audit-entries.suite.ts';
import { exchangeListSuite } from '../exchange-pages.suite.ts';
import { findExchangeById, getExchangePage } from '../exchanges.ts';
import { liveEventSuite } from '../live-events.suite.ts';
import type { Migration } from '../migrations/migration.ts';
import { MIGRATIONS } from '../migrations/migration-list.ts';
import { openDatabase } from '../open-database.ts';
import { insertOrg } from '../orgs.ts';
import { repositorySuite } from '../repositories.suite.ts';
import { limitToDatabaseTime } from '../retention.ts';
import { rollupExpirySuite } from '../rollup-expiry.suite.ts';
import { rollupSuite } from '../rollups.suite.ts';
import { getSetting, storeSetting } from '../settings.ts';
import { signInSuite } from '../sign-in.suite.ts';
import { storedResponseSuite } from '../stored-responses.suite.ts';
import { ingestRows } from '../test/ingest-rows.ts';
import { createLogSpy } from '../test/log-spy.ts';
import {
  createTestDatabase,
  createTestDatabaseWithoutTables,
  openTestDatabase,
  runAsAdministrator,
} from '../test/postgres-database.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../test/rows.ts';
import { timeScanSuite } from '../time-scan.suite.ts';
import { openPostgres } from './open-postgres.ts';

const quiet = { log: silentLog, clock: systemClock };

auditSuite('postgres', openTestDatabase);
repositorySuite('postgres', openTestDatabase);
storedResponseSuite('postgres', openTestDatabase);
signInSuite('postgres', openTestDatabase);
rollupSuite('postgres', openTestDatabase);
rollupExpirySuite('postgres', openTestDatabase);
exchangeListSuite('postgres', openTestDatabase);
liveEventSuite('postgres', openTestDatabase);
alertsSuite('postgres', openTestDatabase);
timeScanSuite('postgres', openTestDatabase);

const second: Migration = {
  number: (MIGRATIONS.at(-1)?.number ?? 0) + 1,
  name: 'second',
  compatibleFrom: (MIGRATIONS.at(-1)?.number ?? 0) + 1,
  async up({ schema }) {
    await schema.createTable('later').addColumn('id', 'text').execute();
  },
};

async function open(t: TestContext, url: string, migrations?: readonly Migration[]) {
  const database = await openPostgres(url, migrations ? { ...quiet, migrations } : quiet);
  t.after(() => database.close());
  return database;
}

test('processes that start simultaneously migrate an empty database once', async (t) => {
  const url = await createTestDatabaseWithoutTables(t);
  const databases = await Promise.all([open(t, url), open(t, url), open(t, url)]);
  const rows = await runAsAdministrator('select number from migrations order by number', url);
  assert.deepEqual(
    rows.map((row) => row['number']),
    MIGRATIONS.map(({ number }) => number),
  );
  await Promise.all(databases.map((database) => database.ping()));
});

test('a database of a newer version is rejected', async (t) => {
  const url = await createTestDatabaseWithoutTables(t);
  await open(t, url, [...MIGRATIONS, second]);
  await assert.rejects(
    openPostgres(url, quiet),
    (error) => error instanceof FatalError && /was migrated by a newer version of Floe/.test(error.message),
  );
});

test('a failed migration changes nothing and is tried again at the next start', async (t) => {
  const url = await createTestDatabaseWithoutTables(t);
  const failing: Migration = {
    ...second,
    async up(writer) {
      await second.up(writer, 'postgres');
      throw new Error('half way');
    },
  };
  await assert.rejects(openPostgres(url, { ...quiet, migrations: [...MIGRATIONS, failing] }), /half way/);
  await open(t, url, [...MIGRATIONS, second]);
});

test('an unavailable server is waited for, then reported in one line without the password', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' ? address?.port : 0;
  probe.close();
  await once(probe, 'close');
  const log = createLogSpy();
  await assert.rejects(
    openPostgres(`postgres://floe:hunter2@127.0.0.1:${port}/floe`, { ...quiet, log, startTimeoutMs: 700 }),
    (error) =>
      error instanceof FatalError &&
      error.message.startsWith(`Cannot use the database 127.0.0.1:${port}/floe: connect ECONNREFUSED`) &&
      !error.message.includes('hunter2'),
  );
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['server is waiting for the database'],
  );
});

test('a wrong password, database or URL is rejected immediately', async (t) => {
  const url = new URL(await createTestDatabase(t));
  const wrong = (change: (url: URL) => void) => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };
  const cases: [string, RegExp][] = [
    [wrong((u) => (u.password = 'other')), /password authentication failed/],
    [wrong((u) => (u.pathname = '/nowhere')), /database "nowhere" does not exist/],
    ['postgres://us er:p@ss:word@/', /storage\.database \(or FLOE_DATABASE_URL\) must be postgres:/],
  ];
  for (const [place, message] of cases)
    await assert.rejects(
      openDatabase(place, { ...quiet, dataDir: '/nowhere' }),
      (error) => error instanceof FatalError && message.test(error.message),
      place,
    );
});

test('a change in one process reaches the others by notification, or otherwise by polling', async (t) => {
  const url = await createTestDatabase(t);
  const [here, there] = await Promise.all([open(t, url), open(t, url)]);
  const heard = () => new Promise<void>((resolve) => there.signals.onChange(resolve));
  let next = heard();
  await here.transaction((writer) => here.signals.announce(writer));
  await next;
  // Without its listening connection a process still looks.
  await runAsAdministrator(
    `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'floe listener' and datname = current_database()`,
    url,
  );
  next = heard();
  const started = performance.now();
  await here.transaction((writer) => here.signals.announce(writer));
  await next;
  t.diagnostic(`heard after ${Math.round(performance.now() - started)} ms without a notification`);
});

test('text that PostgreSQL cannot store is rejected in the API and replaced in rows', async (t) => {
  const database = await openTestDatabase(t);
  const metadata = { 'a\u0000b': { any: ['x'], none: [] } };
  for (const use of [
    () =>
      database.transaction((writer) =>
        insertOrg(writer, { id: TEST_ORG_ID, name: 'a\u0000b', created_at: 1 }),
      ),
    () => getExchangePage(database.read, { orgId: TEST_ORG_ID, limit: 1, metadata }),
  ])
    await assert.rejects(use, (error) => error instanceof Fault && error.code === 'invalid_request');
  const metadata_json = '{"a":"x\\u0000y","b":"\\ud800","c":"\\\\u0000"}';
  const row = createTestExchangeRow('exc_a', { end_user: 'a\u0000b \ud800', metadata_json });
  const { inserted, rejected } = await ingestRows(t, database, [row]);
  assert.deepEqual([inserted, rejected], [1, []]);
  const stored = await findExchangeById(database.read, TEST_ORG_ID, 'exc_a');
  assert.equal(stored?.end_user, 'a\ufffdb \ufffd');
  assert.deepEqual(JSON.parse(stored?.metadata_json ?? ''), { a: 'x\ufffdy', b: '\ufffd', c: '\\u0000' });
});

test('a row with a value that is too large for an index is rejected alone', async (t) => {
  const database = await openTestDatabase(t);
  // Random text cannot be compressed.
  const model = randomBytes(6_000).toString('base64');
  const bad = createTestExchangeRow('exc_bad', { model });
  const good = createTestExchangeRow('exc_good');
  const { inserted, rejected } = await ingestRows(t, database, [bad, good]);
  assert.deepEqual([inserted, rejected], [1, [JSON.stringify(bad)]]);
});

test('a failed statement is named in its error, and rolls back its transaction', async (t) => {
  const database = await openTestDatabase(t);
  const failing = database.transaction(async (writer) => {
    await storeSetting(writer, 'a', '1');
    await writer.schema.dropTable('none').execute();
  });
  await assert.rejects(failing, /table "none" does not exist \(in: drop table "none"\)/);
  assert.equal(await getSetting(database.read, 'a'), undefined);
});

test('a process whose clock is ahead of the database does not delete data early', async (t) => {
  const { read } = await openTestDatabase(t);
  assert.equal(await limitToDatabaseTime(read, 1_000), 1_000);
  assert.ok((await limitToDatabaseTime(read, Number.MAX_SAFE_INTEGER)) < Number.MAX_SAFE_INTEGER);
});

test('a partition that another process dropped is created again for late rows', async (t) => {
  const url = await createTestDatabase(t);
  const [here, there] = await Promise.all([open(t, url), open(t, url)]);
  const day = Date.UTC(2026, 0, 1);
  await ingestRows(t, here, [createTestExchangeRow('exc_a', { created_at: day })]);
  assert.equal(await there.expireExchanges(day + 86_400_000), true);
  const late = [createTestExchangeRow('exc_b', { created_at: day })];
  await assert.rejects(ingestRows(t, here, late), /no partition/);
  const { inserted, rejected } = await ingestRows(t, here, late);
  assert.deepEqual([inserted, rejected], [1, []]);
});

test('a partition that is in use does not keep the later ones', async (t) => {
  const url = await createTestDatabase(t);
  const [here, there] = await Promise.all([open(t, url), open(t, url)]);
  const day = Date.UTC(2026, 0, 1);
  const rows = [0, 1].map((n) => createTestExchangeRow(`exc_${n}`, { created_at: day + n * 86_400_000 }));
  await ingestRows(t, here, rows);
  await here.rowTransaction(async (writer) => {
    await sql`lock table exchanges_d20260101 in access share mode`.execute(writer);
    await assert.rejects(there.expireExchanges(day + 2 * 86_400_000));
  });
  const left = await here.read.selectFrom('exchanges').select('id').execute();
  assert.deepEqual(left, [{ id: 'exc_0' }]);
});

test('each partition has the indexes of its table once', async (t) => {
  const url = await createTestDatabase(t);
  const database = await open(t, url);
  await ingestRows(t, database, [createTestExchangeRow('exc_a')]);
  const rows = await runAsAdministrator(
    `select tablename, count(*)::int as n from pg_indexes where tablename like 'exchanges%' group by 1 order by 1`,
    url,
  );
  const counts = new Set(rows.map((row) => row['n']));
  assert.deepEqual([rows.length, counts.size], [3, 1], JSON.stringify(rows));
});

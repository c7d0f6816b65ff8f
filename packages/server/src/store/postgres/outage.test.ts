import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '@floe/contract/faults';
import { eventually } from '@floe/testkit/eventually';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { insertOrg } from '../orgs.ts';
import { getRollupTotals } from '../rollups/read-rollups.ts';
import { HOUR_MS } from '../rollups/rollup-accumulator.ts';
import { getSetting, storeSetting } from '../settings.ts';
import { openExchangeRowSink } from '../spool/row-sink.ts';
import { createFaultySpoolFiles } from '../spool/test/faulty-files.ts';
import type { Database, RowSink } from '../store-interfaces.ts';
import {
  createTestDatabase,
  createTestDatabaseWithoutTables,
  runAsAdministrator,
} from '../test/postgres-database.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../test/rows.ts';
import { startTcpProxy, type TcpProxy } from '../test/tcp-proxy.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { openPostgres } from './open-postgres.ts';

const FULL = process.env['FLOE_TEST_FULL'] === '1';
/** How long the database is away: a minute at length, else as long as it takes to fail and retry. */
const AWAY_MS = FULL ? 60_000 : 1_500;
const CUTS = FULL ? 40 : 6;
const quiet = { log: silentLog, clock: systemClock };

const isAway = (error: unknown) => error instanceof Fault && error.code === 'overloaded';

interface Reached {
  readonly url: string;
  readonly proxy: TcpProxy;
  readonly database: Database;
}

async function openThroughProxy(t: TestContext, statementTimeoutMs = 30_000): Promise<Reached> {
  const url = await createTestDatabase(t);
  const proxy = await startTcpProxy(url);
  t.after(() => proxy.close());
  const database = await openPostgres(proxy.url, { ...quiet, statementTimeoutMs });
  t.after(() => database.close());
  await database.transaction((writer) => insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 }));
  return { url, proxy, database };
}

/** Appends rows in real time, as requests would, until told to stop. */
function load(sink: RowSink): { stop(): Promise<number> } {
  let appended = 0;
  let running = true;
  const ended = (async () => {
    while (running) {
      for (let n = 0; n < 5; n++)
        sink.append(createTestExchangeRow(`exc_${appended++}`, { created_at: Date.now() }));
      await wait(2);
    }
  })();
  return {
    async stop() {
      running = false;
      await ended;
      return appended;
    },
  };
}

async function counts(database: Database) {
  const all = {
    orgId: TEST_ORG_ID,
    from: 0,
    to: Date.now() + HOUR_MS,
    unit: 'hour',
    figures: ['requests'],
  } as const;
  const { rows } = await database.read
    .selectFrom('exchanges')
    .select(({ fn }) => [fn.countAll<number>().as('rows')])
    .executeTakeFirstOrThrow();
  const [counted] = await getRollupTotals(database.read, all);
  return { rows, counted };
}

test('a database outage under load loses no row and counts none twice', async (t) => {
  const { proxy, database } = await openThroughProxy(t);
  const sink = await openExchangeRowSink({ ...quiet, dataDir: createTemporaryDirectory(t), database });
  const loading = load(sink);
  await wait(300);
  proxy.cut();
  await wait(AWAY_MS);
  const waiting = sink.backlog();
  proxy.restore();
  await wait(300);
  const appended = await loading.stop();
  await sink.flush(60_000);
  await sink.close();
  assert.ok(waiting > 0, 'nothing waited: the database was not away');
  assert.deepEqual(await counts(database), { rows: appended, counted: appended });
  t.diagnostic(`away ${AWAY_MS} ms: ${appended} rows, ${waiting} waited on disk, 0 lost, 0 doubled`);
});

test('connections that break at any time, including commits, duplicate nothing', async (t) => {
  const { proxy, database } = await openThroughProxy(t);
  const sink = await openExchangeRowSink({ ...quiet, dataDir: createTemporaryDirectory(t), database });
  const loading = load(sink);
  for (let cut = 0; cut < CUTS; cut++) {
    await wait(60 + Math.random() * 150);
    proxy.cut();
    proxy.restore();
  }
  const appended = await loading.stop();
  await flushed(sink);
  await sink.close();
  assert.deepEqual(await counts(database), { rows: appended, counted: appended });
  t.diagnostic(`${CUTS} broken connections: ${appended} rows, 0 lost, 0 doubled`);
});

/** A flush does not wait for a pause between two tries to end. */
async function flushed(sink: RowSink): Promise<void> {
  await eventually(async () => {
    await sink.flush(5_000).catch(() => undefined);
    return sink.backlog() === 0 || undefined;
  });
}

test('a frozen server fails requests after a timeout, and works again when it responds', async (t) => {
  const { proxy, database } = await openThroughProxy(t, 300);
  proxy.freeze();
  const transaction = database.transaction((writer) => storeSetting(writer, 'a', 'late'));
  await Promise.all([
    assert.rejects(database.ping(), isAway),
    assert.rejects(getSetting(database.read, 'a'), isAway),
    assert.rejects(transaction, isAway),
  ]);
  proxy.restore();
  await database.transaction((writer) => storeSetting(writer, 'a', 'after'));
  assert.equal(await getSetting(database.read, 'a'), 'after');
});

test('a statement that takes too long is canceled by the server, and its connection remains usable', async (t) => {
  const { url, database } = await openThroughProxy(t, 400);
  const held = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const holder = database.transaction(async () => {
    taken.resolve();
    await held.promise;
  });
  await taken.promise;
  await assert.rejects(
    database.transaction((writer) => storeSetting(writer, 'a', '1')),
    isAway,
  );
  held.resolve();
  await holder;
  await database.transaction((writer) => storeSetting(writer, 'a', '2'));
  assert.equal(await getSetting(database.read, 'a'), '2');
  const open = await runAsAdministrator(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    url,
  );
  assert.equal(open[0]?.['n'], 0);
});

test('a server without free connections rejects some requests as overloaded and loses no row', async (t) => {
  const url = new URL(await createTestDatabaseWithoutTables(t));
  const database = url.pathname.slice(1);
  await runAsAdministrator(`create role "${database}" login password 'few' connection limit 4`);
  await runAsAdministrator(`alter database ${database} owner to "${database}"`);
  await runAsAdministrator(`grant all on schema public to "${database}"`, url.href);
  // The database, which goes before, is all that the role owns.
  t.after(() => runAsAdministrator(`drop role "${database}"`).then(() => undefined));
  url.username = database;
  url.password = 'few';
  const store = await openPostgres(url.href, quiet);
  t.after(() => store.close());
  const sink = await openExchangeRowSink({ ...quiet, dataDir: createTemporaryDirectory(t), database: store });
  const loading = load(sink);
  const asked = Array.from({ length: 60 }, () => getSetting(store.read, 'a'));
  const answers = await Promise.allSettled(asked);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  for (const { reason } of refused) assert.ok(isAway(reason), String(reason));
  assert.ok(refused.length > 0, 'the limit of connections was never met');
  const appended = await loading.stop();
  await flushed(sink);
  await sink.close();
  assert.deepEqual(await counts(store), { rows: appended, counted: appended });
  t.diagnostic(`4 connections: ${refused.length} of ${asked.length} reads refused, ${appended} rows, 0 lost`);
});

test('rows that were rejected because of a full disk are inserted when there is space again', async (t) => {
  const { database } = await openThroughProxy(t);
  const files = createFaultySpoolFiles();
  const sink = await openExchangeRowSink({ ...quiet, dataDir: createTemporaryDirectory(t), database, files });
  const loading = load(sink);
  await wait(100);
  files.writeFault = 'ENOSPC';
  await wait(300);
  files.writeFault = null;
  const appended = await loading.stop();
  await flushed(sink);
  await sink.close();
  assert.deepEqual(await counts(database), { rows: appended, counted: appended });
  t.diagnostic(`a full disk for 300 ms: ${appended} rows, 0 lost, 0 doubled`);
});

test('a process that is paused in a transaction does not make the writes of others fail', async (t) => {
  const { url, database } = await openThroughProxy(t);
  const other = await openPostgres(url, quiet);
  t.after(() => other.close());
  const resumed = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  const transaction = database.transaction(async (writer) => {
    await storeSetting(writer, 'a', 'paused');
    paused.resolve();
    await resumed.promise;
    await storeSetting(writer, 'b', 'paused');
  });
  await paused.promise;
  const waiting = other.transaction((writer) => storeSetting(writer, 'a', 'other'));
  await waiting.finally(resumed.resolve);
  await assert.rejects(transaction, isAway);
  assert.equal(await getSetting(database.read, 'a'), 'other');
  await database.transaction((writer) => storeSetting(writer, 'a', 'after'));
});

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { systemClock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import { silentLog } from '../../core/log.ts';
import { alertsSuite } from '../alerts.suite.ts';
import { auditSuite } from '../audit-entries.suite.ts';
import { exchangeListSuite } from '../exchange-pages.suite.ts';
import { liveEventSuite } from '../live-events.suite.ts';
import { LIVE_EVENT_COLUMNS } from '../live-exchange-batches.ts';
import type { Migration } from '../migrations/migration.ts';
import { MIGRATIONS } from '../migrations/migration-list.ts';
import { openDatabase } from '../open-database.ts';
import { repositorySuite } from '../repositories.suite.ts';
import { rollupExpirySuite } from '../rollup-expiry.suite.ts';
import { EXCHANGE_METADATA_COLUMNS, getRollupColumns, ROLLUP_TABLES } from '../rollups/rollup-statements.ts';
import { rollupSuite } from '../rollups.suite.ts';
import { getSetting, storeSetting } from '../settings.ts';
import { signInSuite } from '../sign-in.suite.ts';
import type { Database } from '../store-interfaces.ts';
import { storedResponseSuite } from '../stored-responses.suite.ts';
import { createTestExchangeRow } from '../test/rows.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { timeScanSuite } from '../time-scan.suite.ts';
import { ingestSqliteSpoolRegion } from './ingest-region.ts';
import { openSqlite } from './open-sqlite.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { getSqliteResultCode } from './sqlite-errors.ts';
import { SqliteWorkerThread } from './sqlite-worker-thread.ts';

const quiet = { log: silentLog, clock: systemClock };

async function openIn(t: TestContext, dataDir: string, migrations?: readonly Migration[]): Promise<Database> {
  const path = join(dataDir, 'floe.db');
  const database = await openSqlite(path, migrations ? { ...quiet, migrations } : quiet);
  t.after(() => database.close());
  return database;
}

auditSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
repositorySuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
storedResponseSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
signInSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
rollupSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
rollupExpirySuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
exchangeListSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
liveEventSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
alertsSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));
timeScanSuite('sqlite', (t) => openIn(t, createTemporaryDirectory(t)));

const second: Migration = {
  number: (MIGRATIONS.at(-1)?.number ?? 0) + 1,
  name: 'second',
  compatibleFrom: (MIGRATIONS.at(-1)?.number ?? 0) + 1,
  async up({ schema }) {
    await schema.createTable('later').addColumn('id', 'text').execute();
  },
};

test('committed data is present after the file is reopened, and no other file remains', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const first = await openDatabase('sqlite:', { ...quiet, dataDir });
  await first.transaction((writer) => storeSetting(writer, 'a', '1'));
  await first.ping();
  await first.close();
  await first.close();
  assert.equal(existsSync(join(dataDir, 'floe.db-wal')), false);
  assert.equal(statSync(join(dataDir, 'floe.db')).mode & 0o777, 0o600);
  const again = await openIn(t, dataDir);
  assert.equal(await getSetting(again.read, 'a'), '1');
});

test('a database in use is copied before it is migrated', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const before = await openIn(t, dataDir);
  await before.transaction((writer) => storeSetting(writer, 'a', '1'));
  await before.close();
  const copy = join(dataDir, `floe.db.before-${second.number}`);
  assert.equal(existsSync(copy), false);
  const after = await openIn(t, dataDir, [...MIGRATIONS, second]);
  assert.equal(await getSetting(after.read, 'a'), '1');
  await after.close();
  const copied = await openSqlite(copy, quiet);
  t.after(() => copied.close());
  assert.equal(await getSetting(copied.read, 'a'), '1');
});

test('the copy before a migration is logged and needs enough space, and the copy of a killed process is deleted', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const before = await openIn(t, dataDir);
  await before.transaction((writer) => storeSetting(writer, 'a', '1'));
  await before.close();
  const path = join(dataDir, 'floe.db');
  const copy = `${path}.before-${second.number}`;
  const lines: { readonly fields: object; readonly message: string }[] = [];
  const log = {
    ...silentLog,
    info: (fields: object, message: string) => void lines.push({ fields, message }),
  };
  const parts = { ...quiet, log, migrations: [...MIGRATIONS, second] };
  await assert.rejects(
    openSqlite(path, { ...parts, freeBytes: async () => 2 }),
    /Cannot copy .* before the migration: the copy needs \d+ KB, but .* has only 2 bytes free\. Free up disk space/,
  );
  assert.equal(lines.length, 0);
  assert.deepEqual([existsSync(copy), existsSync(`${copy}.part`)], [false, false]);

  writeFileSync(`${copy}.part`, 'half of one');
  const after = await openSqlite(path, { ...parts, freeBytes: async () => 1e12 });
  t.after(() => after.close());
  const [first, last] = lines;
  assert.match(first?.message ?? '', /copying the database before the migration.*minutes/);
  const { bytes, ...places } = { bytes: 0, ...first?.fields };
  assert.deepEqual(places, { from: path, to: copy, free_bytes: 1e12 });
  const { size, mode } = statSync(copy);
  // The copy has no free pages, so it can be smaller.
  assert.ok(bytes >= size && bytes - size < 64 * 1024, `${bytes} and ${size}`);
  assert.equal(mode & 0o777, 0o600);
  assert.equal(last?.message, 'database was copied');
  assert.equal(existsSync(`${copy}.part`), false);
});

test('a failed migration changes nothing and is tried again at the next start', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  await (await openIn(t, dataDir)).close();
  const failing: Migration = {
    ...second,
    async up(writer) {
      await second.up(writer, 'sqlite');
      throw new Error('half way');
    },
  };
  await assert.rejects(openIn(t, dataDir, [...MIGRATIONS, failing]), /half way/);
  await (await openIn(t, dataDir)).close();
  await openIn(t, dataDir, [...MIGRATIONS, second]);
});

test('a database of a newer version is rejected', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  await (await openIn(t, dataDir, [...MIGRATIONS, second])).close();
  await assert.rejects(
    openIn(t, dataDir),
    (error) =>
      error instanceof FatalError &&
      new RegExp(
        `newer version of Floe: migration ${second.number} "second" .*migrations up to ${second.number - 1}\\.`,
      ).test(error.message),
  );
});

test('a path that cannot be a database is rejected with the reason', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  mkdirSync(join(dataDir, 'directory.db'));
  writeFileSync(join(dataDir, 'text.db'), 'this is a file of text, not of pages'.repeat(100));
  const cases: [string, RegExp][] = [
    [`sqlite:${join(dataDir, 'directory.db')}`, /directory\.db is a directory/],
    [`sqlite:${join(dataDir, 'text.db')}`, /text\.db is corrupted or not a SQLite database/],
    ['sqlite:/dev/null/floe.db', /Cannot write to the database \/dev\/null\/floe\.db/],
    ['sqlite::memory:', /storage\.database \(or FLOE_DATABASE_URL\) must be/],
    ['mysql://localhost/floe', /storage\.database \(or FLOE_DATABASE_URL\) must be/],
  ];
  for (const [url, message] of cases)
    await assert.rejects(
      openDatabase(url, { ...quiet, dataDir }),
      (error) => error instanceof FatalError && message.test(error.message),
      url,
    );
  assert.match(readFileSync(join(dataDir, 'text.db'), 'utf8'), /^this is a file of text/);
});

test('when a thread ends, its current and later calls are rejected', async () => {
  const thread = new SqliteWorkerThread('writer', silentLog);
  const asked = thread.send({ kind: 'ping' }).then(
    () => 'answered',
    (error) => error,
  );
  await thread.terminate();
  const isAway = (error: unknown) => error instanceof Fault && error.code === 'overloaded';
  assert.ok(isAway(await asked));
  await assert.rejects(thread.send({ kind: 'ping' }), isAway);
  await thread.close();
});

test('a failed statement is named in its error, and the transaction can continue', async (t) => {
  const database = await openIn(t, createTemporaryDirectory(t));
  await database.transaction(async (writer) => {
    await assert.rejects(
      writer.schema.dropTable('none').execute(),
      /no such table: none \(in: drop table "none"\)/,
    );
    await storeSetting(writer, 'a', '1');
  });
  assert.equal(await getSetting(database.read, 'a'), '1');
});

test('rows that meet a full disk are rolled back together, and inserted once when there is space', (t) => {
  const dataDir = createTemporaryDirectory(t);
  const connection = fullConnection(join(dataDir, 'full.db'));
  const path = join(dataDir, 'rows.jsonl');
  const ids = Array.from({ length: 200 }, (_, i) => `exc_${i}`);
  writeFileSync(path, ids.map((id) => `${JSON.stringify(createTestExchangeRow(id))}\n`).join(''));
  const region = { path, from: 0, to: statSync(path).size, last: true };
  const count = () => {
    connection.begin();
    const { rows } = connection.query('select count(*) as n from exchanges', []);
    connection.rollback();
    return { ...rows[0] };
  };
  const SQLITE_FULL = 13;
  assert.throws(
    () => ingestSqliteSpoolRegion(connection, region),
    (error) => getSqliteResultCode(error) === SQLITE_FULL,
  );
  assert.deepEqual(count(), { n: 0 });
  connection.begin();
  assert.throws(() => connection.query(`insert into exchanges (id) values (hex(zeroblob(9000000)))`, []));
  assert.throws(() => connection.query('select 1', []), /already been rolled back/);
  connection.rollback();
  allowPages(connection, 100_000);
  assert.equal(ingestSqliteSpoolRegion(connection, region).inserted, 200);
  assert.equal(ingestSqliteSpoolRegion(connection, region).known, 200);
  assert.deepEqual(count(), { n: 200 });
  connection.close();
});

/** A database whose file may not grow beyond what its tables need. */
function fullConnection(path: string): SqliteConnection {
  const connection = new SqliteConnection(path, 'writer');
  connection.begin();
  const columns = Object.keys(createTestExchangeRow('exc_a')).map((name) =>
    name === 'id' ? 'id text primary key' : name,
  );
  connection.query(`create table exchanges (${columns.join(', ')})`, []);
  connection.query('create table orgs (id text, metadata_keys_json text)', []);
  for (const table of ['rollup_minutes', 'rollup_hours', 'rollup_pairs'] as const) {
    const key = ROLLUP_TABLES[table].key.join(', ');
    connection.query(
      `create table ${table} (${getRollupColumns(table).join(', ')}, primary key (${key}))`,
      [],
    );
  }
  connection.query(`create table exchange_metadata (${EXCHANGE_METADATA_COLUMNS.join(', ')})`, []);
  connection.query(`create table live_events (${LIVE_EVENT_COLUMNS.join(', ')})`, []);
  connection.commit();
  allowPages(connection, 10);
  return connection;
}

function allowPages(connection: SqliteConnection, pages: number): void {
  connection.begin();
  connection.query(`pragma max_page_count = ${pages}`, []);
  connection.commit();
}

test('the previous release opens a file with a compatible migration, and the next one continues with it', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const next = [...MIGRATIONS, { ...second, compatibleFrom: 1 }];
  await (await openIn(t, dataDir, next)).close();
  const previous = await openIn(t, dataDir);
  await previous.transaction((writer) => storeSetting(writer, 'a', '1'));
  await previous.close();
  const again = await openIn(t, dataDir, next);
  assert.equal(await getSetting(again.read, 'a'), '1');
});

test('the file does not keep the content of deleted rows', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, quiet);
  const names = Array.from({ length: 200 }, (_, n) => `note-${n}`);
  for (const name of names)
    await database.transaction((writer) => storeSetting(writer, name, `ana@acme.example ${'x'.repeat(500)}`));
  for (const name of names)
    await database.transaction((writer) => writer.deleteFrom('settings').where('name', '=', name).execute());
  await database.close();
  assert.equal(readFileSync(path).includes('ana@acme.example'), false);
});

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock } from '@floe/testkit/fake-clock';
import pg from 'pg';
import { systemClock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import { silentLog } from '../../core/log.ts';
import type { Migration } from '../migrations/migration.ts';
import { getNewestMigrationNumber, MIGRATIONS } from '../migrations/migration-list.ts';
import { registerReplica } from '../replicas.ts';
import { getSetting, storeSetting } from '../settings.ts';
import { createLogSpy } from '../test/log-spy.ts';
import { createTestDatabase, runAsAdministrator } from '../test/postgres-database.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { planDatabaseUpgrade, upgradeDatabase } from '../upgrade-database.ts';
import { openPostgres } from './open-postgres.ts';

const quiet = { log: silentLog, clock: systemClock };
const NEXT = getNewestMigrationNumber() + 1;
const expand: Migration = {
  number: NEXT,
  name: 'add-a-column',
  compatibleFrom: 1,
  async up({ schema }) {
    await schema.alterTable('settings').addColumn('note', 'text').execute();
  },
};
const contract: Migration = {
  number: NEXT + 1,
  name: 'drop-a-table',
  compatibleFrom: NEXT + 1,
  async up({ schema }) {
    await schema.dropTable('views').execute();
  },
};

async function open(t: TestContext, url: string, migrations: readonly Migration[] = MIGRATIONS) {
  const database = await openPostgres(url, { ...quiet, migrations });
  t.after(() => database.close());
  return database;
}

async function numbersIn(url: string): Promise<readonly unknown[]> {
  const rows = await runAsAdministrator('select number from migrations order by number', url);
  return rows.map(({ number }) => number);
}

function refusal(pattern: RegExp) {
  return (error: unknown) => error instanceof FatalError && pattern.test(error.message);
}

test('a release runs, and starts, on a database with a compatible migration of the next one', async (t) => {
  const url = await createTestDatabase(t);
  const running = await open(t, url);
  await running.transaction((writer) => storeSetting(writer, 'a', '1'));
  await open(t, url, [...MIGRATIONS, expand]);
  await running.transaction((writer) => storeSetting(writer, 'b', '2'));
  const log = createLogSpy();
  const restarted = await openPostgres(url, { ...quiet, log });
  t.after(() => restarted.close());
  assert.equal(await getSetting(restarted.read, 'b'), '2');
  const [line] = log.lines;
  assert.match(line?.message ?? '', /newer, compatible version/);
});

test('a contract migration waits for the older processes to stop, or is forced', async (t) => {
  const url = await createTestDatabase(t);
  const place = { url, dataDir: createTemporaryDirectory(t) };
  const next = { ...quiet, migrations: [...MIGRATIONS, expand, contract] };
  const before = await numbersIn(url);
  const database = await open(t, url);
  const replicas = await registerReplica(database, systemClock, silentLog, assert.fail);
  assert.deepEqual(await planDatabaseUpgrade(place, next), {
    migrations: [
      { number: expand.number, name: expand.name, kind: 'expand' },
      { number: contract.number, name: contract.name, kind: 'contract' },
    ],
    olderProcesses: 1,
    copy: null,
  });
  const expected = refusal(/"drop-a-table" does not work with 1 running process of an older version/);
  await assert.rejects(upgradeDatabase(place, next), expected);
  await assert.rejects(openPostgres(url, next), expected);
  // Not even the expand migration before it.
  assert.deepEqual(await numbersIn(url), before);
  await replicas.close();
  assert.equal((await planDatabaseUpgrade(place, next)).olderProcesses, 0);
  await upgradeDatabase(place, next);
  assert.deepEqual(await numbersIn(url), [...before, expand.number, contract.number]);
  await assert.rejects(openPostgres(url, quiet), refusal(/requires a version that has migration/));
  // It opened the database before the migration. Its join reads the migrations again.
  await assert.rejects(
    registerReplica(database, systemClock, silentLog, assert.fail),
    refusal(/Nothing was changed/),
  );
  assert.deepEqual(await runAsAdministrator('select * from replicas', url), []);
});

test('--force runs a contract migration while an older process is running', async (t) => {
  const url = await createTestDatabase(t);
  const replicas = await registerReplica(await open(t, url), systemClock, silentLog, assert.fail);
  const next = { ...quiet, migrations: [...MIGRATIONS, contract], force: true };
  await upgradeDatabase({ url, dataDir: createTemporaryDirectory(t) }, next);
  assert.ok((await numbersIn(url)).includes(contract.number));
  await replicas.close();
});

test('a process that was killed counts as running until its lease has expired', async (t) => {
  const url = await createTestDatabase(t);
  const insert = (agoMs: number) =>
    runAsAdministrator(`insert into replicas (id, seen_at) values ('${agoMs}', ${Date.now() - agoMs})`, url);
  await insert(16_000);
  const next = { ...quiet, migrations: [...MIGRATIONS, contract] };
  const place = { url, dataDir: createTemporaryDirectory(t) };
  await insert(1_000);
  await assert.rejects(upgradeDatabase(place, next), refusal(/1 running process of an older version/));
  await runAsAdministrator(`delete from replicas where id = '1000'`, url);
  await upgradeDatabase(place, next);
});

test('a process whose lease expired does not rejoin a database that its release does not work with', async (t) => {
  const url = await createTestDatabase(t);
  const clock = new FakeClock(Date.now());
  const reasons: string[] = [];
  const replicas = await registerReplica(await open(t, url), clock, silentLog, ({ message }) =>
    reasons.push(message),
  );
  // It was paused for longer than its lease, and others continued.
  await runAsAdministrator('delete from replicas', url);
  await upgradeDatabase(
    { url, dataDir: createTemporaryDirectory(t) },
    { ...quiet, migrations: [...MIGRATIONS, contract] },
  );
  clock.advance(5_000);
  const [reason] = await eventually(async () => (reasons.length > 0 ? reasons : undefined));
  assert.match(reason ?? '', /requires a version that has migration/);
  assert.deepEqual(await runAsAdministrator('select * from replicas', url), []);
  assert.deepEqual(clock.pending(), [], 'it does not try again');
  await replicas.close();
});

test('a migration that waits for a table lets other statements pass, and runs when the table is free', async (t) => {
  const url = await createTestDatabase(t);
  const database = await open(t, url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('select * from settings');
  const log = createLogSpy();
  const migrating = openPostgres(url, { ...quiet, log, migrations: [...MIGRATIONS, expand] });
  const waits: number[] = [];
  while (!log.lines.some(({ message }) => message.startsWith('migration is waiting')) || waits.length < 60) {
    const started = performance.now();
    await database.transaction((writer) => storeSetting(writer, 'a', String(waits.length)));
    waits.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal((await numbersIn(url)).at(-1), expand.number - 1);
  await client.end();
  await (await migrating).close();
  assert.equal((await numbersIn(url)).at(-1), expand.number);
  t.diagnostic(`longest of ${waits.length} writes during the wait: ${Math.round(Math.max(...waits))} ms`);
});

test('statements that a process prepared before a migration still work after it', async (t) => {
  const url = await createTestDatabase(t);
  const running = await open(t, url);
  const tables = ['monitor_clocks', 'checks', 'beat_keys'];
  assert.deepEqual(await running.applyBeatsIfUnchanged([], 0), []);
  const widen: Migration = {
    ...expand,
    async up({ schema }) {
      for (const table of tables) await schema.alterTable(table).addColumn('note', 'text').execute();
    },
  };
  await open(t, url, [...MIGRATIONS, widen]);
  assert.deepEqual(await running.applyBeatsIfUnchanged([], 0), []);
});

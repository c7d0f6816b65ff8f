import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { appendAuditEntry } from '../store/audit-entries.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import { getSetting, storeSetting } from '../store/settings.ts';
import type { Database } from '../store/store-interfaces.ts';
import { ingestRows } from '../store/test/ingest-rows.ts';
import { createLogSpy } from '../store/test/log-spy.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../store/test/rows.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { startRetention } from './retention.ts';

const DAY_MS = 86_400_000;

async function openSqliteDatabase(t: TestContext): Promise<Database> {
  const database = await openDatabase('sqlite:', {
    dataDir: createTemporaryDirectory(t),
    log: silentLog,
    clock: systemClock,
  });
  t.after(() => database.close());
  return database;
}

test('expired data is removed a minute after the start and then every hour, with the current configuration', async (t) => {
  const database = await openSqliteDatabase(t);
  const clock = new ManualClock();
  const now = clock.now();
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 });
    for (const day of [50, 1])
      await appendAuditEntry(writer, {
        id: `aud_${day}`,
        org_id: TEST_ORG_ID,
        at: now - day * DAY_MS,
        actor: 'setup',
        action: 'keys.create',
        subject: 'key',
        before_json: null,
        after_json: '{}',
      });
  });
  const ages = [0, 5, 20, 100];
  await ingestRows(
    t,
    database,
    ages.map((day) => createTestExchangeRow(`exc_${day}`, { created_at: now - day * DAY_MS })),
  );
  const days = {
    requests_days: 90,
    audit_days: 30,
    checks_days: 400,
    responses_days: 30,
    bodies_days: 7,
    sessions: { idleMs: 1 },
  };
  const log = createLogSpy();
  const removed = () => log.lines.map(({ fields }) => ('days' in fields ? fields.days : null));
  const retention = startRetention(database, clock, log, () => days);
  clock.advance(59_000);
  clock.advance(1_000);
  await retention.settled();
  assert.deepEqual(removed(), [90]);
  days.requests_days = 10;
  clock.advance(3_599_000);
  await retention.settled();
  assert.deepEqual(removed(), [90]);
  clock.advance(1_000);
  await retention.settled();
  assert.deepEqual(removed(), [90, 10]);
  const left = await database.read.selectFrom('exchanges').select('id').orderBy('id').execute();
  assert.deepEqual(left, [{ id: 'exc_0' }, { id: 'exc_5' }]);
  const audit = await database.read.selectFrom('audit').select('id').execute();
  assert.deepEqual(audit, [{ id: 'aud_1' }]);
  await retention.close();
});

test('a step that fails does not stop the others, and a longer period does not forget what was deleted', async (t) => {
  const database = await openSqliteDatabase(t);
  const clock = new ManualClock();
  const now = clock.now();
  await database.transaction(async (writer) => {
    for (const id of ['org_a', 'org_b', TEST_ORG_ID])
      await insertOrg(writer, { id, name: id, created_at: 1 });
    await sql`create trigger kept before delete on exchanges when old.org_id in ('org_a', 'org_b')
      begin select raise(abort, 'kept'); end`.execute(writer);
  });
  const old = { created_at: now - 100 * DAY_MS };
  await ingestRows(t, database, [
    createTestExchangeRow('exc_a', { ...old, org_id: 'org_a' }),
    createTestExchangeRow('exc_b', { ...old, org_id: 'org_b' }),
    createTestExchangeRow('exc_c', old),
  ]);
  const days = {
    requests_days: 90,
    audit_days: 30,
    checks_days: 400,
    responses_days: 30,
    bodies_days: 7,
    sessions: { idleMs: 1 },
  };
  const log = createLogSpy();
  const retention = startRetention(database, clock, log, () => days);
  clock.advance(60_000);
  await retention.settled();
  const left = await database.read.selectFrom('exchanges').select('id').execute();
  assert.deepEqual(left, [{ id: 'exc_a' }, { id: 'exc_b' }]);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn'],
  );
  assert.match(inspect(log.lines[0]?.fields), /organization org_a: .*kept.*organization org_b: .*kept/);
  const keptFrom = await getSetting(database.read, 'audit_kept_from');
  assert.equal(Number(keptFrom), Math.trunc(clock.now() - 30 * DAY_MS));
  days.audit_days = 400;
  days.requests_days = 400;
  const requestsFrom = await getSetting(database.read, 'requests_kept_from');
  assert.equal(Number(requestsFrom), Math.trunc(clock.now() - 90 * DAY_MS));
  clock.advance(3_600_000);
  await retention.settled();
  assert.equal(await getSetting(database.read, 'audit_kept_from'), keptFrom);
  assert.equal(await getSetting(database.read, 'requests_kept_from'), requestsFrom);
  // A clock that was ahead stored times in the future.
  await database.transaction(async (writer) => {
    for (const name of ['audit_kept_from', 'requests_kept_from'])
      await storeSetting(writer, name, String(clock.now() + 100 * DAY_MS));
  });
  clock.advance(3_600_000);
  await retention.settled();
  for (const name of ['audit_kept_from', 'requests_kept_from'])
    assert.equal(Number(await getSetting(database.read, name)), Math.trunc(clock.now()));
  await retention.close();
});

test('an unavailable database is logged once per round, and the next rounds continue', async (t) => {
  const { read } = await openSqliteDatabase(t);
  const clock = new ManualClock();
  const log = createLogSpy();
  const away = () => Promise.reject(new Error('away'));
  const retention = startRetention(
    { expireExchanges: away, read, transaction: away, rowTransaction: away },
    clock,
    log,
    () => ({
      requests_days: 1,
      audit_days: 1,
      responses_days: 1,
      bodies_days: 1,
      checks_days: 1,
      sessions: { idleMs: 1 },
    }),
  );
  for (let round = 0; round < 3; round++) {
    clock.advance(3_600_000);
    await retention.settled();
  }
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn', 'warn', 'warn'],
  );
  assert.match(
    inspect(log.lines[0]?.fields),
    /3 steps failed\. The first errors: Error: away; Error: away; Error: away/,
  );
  await retention.close();
});

test('a round in progress ends before its next transaction when the process shuts down', async (t) => {
  const database = await openSqliteDatabase(t);
  const clock = new ManualClock();
  const days = { requests_days: 90, audit_days: 30, checks_days: 400, responses_days: 30, bodies_days: 7 };
  const log = createLogSpy();
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  let transactions = 0;
  const slow: typeof database = {
    ...database,
    read: database.read,
    expireExchanges: async () => {
      entered.resolve();
      await leave.promise;
      return false;
    },
    transaction: (work) => {
      transactions += 1;
      return database.transaction(work);
    },
    rowTransaction: (work) => {
      transactions += 1;
      return database.rowTransaction(work);
    },
  };
  const retention = startRetention(slow, clock, log, () => ({ ...days, sessions: { idleMs: 1 } }));
  clock.advance(60_000);
  await entered.promise;
  transactions = 0;
  const closing = retention.close();
  leave.resolve();
  await closing;
  assert.equal(transactions, 0);
  assert.deepEqual(log.lines, []);
});

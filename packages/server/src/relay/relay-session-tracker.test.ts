import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import { getRelaySessionPage } from '../store/relay/relay-session-summaries.ts';
import type { Database } from '../store/store-interfaces.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { openTestDatabase } from '../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { createRelayConfigRegistry } from './relay-config-registry.ts';
import { RelaySessionTracker } from './relay-session-tracker.ts';

const KEY = { orgId: 'acme', keyId: 'key_1', keyName: 'laptops', team: null, owner: 'ana@acme.example' };
const USE = { orgId: 'acme', keyId: 'key_1', keyName: 'laptops', owner: null, sessionId: 's1' };
const CALL = { session_id: 's1', agent: { name: 'codex', version: '1.2' }, client: undefined };

async function openSqliteDatabase(t: TestContext): Promise<Database> {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  return database;
}

async function startHarness(t: TestContext, open = openSqliteDatabase) {
  const database = await open(t);
  await database.transaction((writer) => insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 }));
  const clock = new ManualClock();
  let whileAway: (() => void) | null = null;
  const shaky: Pick<Database, 'read' | 'transaction'> = {
    read: database.read,
    async transaction(work) {
      if (!whileAway) return database.transaction(work);
      whileAway();
      throw new Fault('overloaded', 'away');
    },
  };
  const openTracker = () => new RelaySessionTracker(shaky, createRelayConfigRegistry(), clock, silentLog);
  return {
    clock,
    database,
    open: openTracker,
    away(then: (() => void) | null) {
      whileAway = then;
    },
    async stored() {
      const { rows } = await getRelaySessionPage(database.read, { orgId: 'acme', limit: 9 });
      return rows;
    },
  };
}

test('counts from while the database was unavailable are added to those that could not be stored', async (t) => {
  const { clock, open, away, stored } = await startHarness(t);
  const sessions = open();
  const began = clock.now();
  sessions.recordRelayCall(KEY, CALL, clock.now());
  sessions.recordModelUse(USE, null);
  away(() => sessions.recordModelUse(USE, 'somebody'));
  for (const _ of [1, 2, 3]) {
    clock.advance(1_000);
    await sessions.flush();
  }
  away(null);
  await sessions.flush();
  await sessions.flush();
  const [row, ...others] = await stored();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [row?.model_requests, row?.relay_calls, row?.agent, row?.agent_version],
    [4, 1, 'codex', '1.2'],
  );
  assert.deepEqual(
    [row?.first_seen_at, row?.last_seen_at, row?.last_model_request_at, row?.last_relay_call_at],
    [began, began + 3_000, began + 3_000, began],
  );
});

test('a call that another process stores late is counted here too', async (t) => {
  const { clock, open } = await startHarness(t);
  const [here, there] = [open(), open()];
  there.recordRelayCall(KEY, CALL, clock.now());
  clock.advance(1_500);
  here.recordRelayCall(KEY, { ...CALL, session_id: 'own' }, clock.now());
  await here.flush();
  assert.equal(here.find('acme', 's1'), null);
  clock.advance(500);
  await there.flush();
  await here.flush();
  assert.equal(here.find('acme', 's1')?.lastRelayCallAt, clock.now() - 2_000);
});

test('an organization with many sessions does not displace the sessions and counts of another one', async (t) => {
  const { clock, database, open, stored } = await startHarness(t);
  await database.transaction((writer) => insertOrg(writer, { id: 'greedy', name: 'Greedy', created_at: 1 }));
  const sessions = open();
  sessions.recordRelayCall(KEY, CALL, clock.now());
  sessions.recordModelUse(USE, null);
  for (let n = 0; n < 60_000; n += 1)
    sessions.recordModelUse({ ...USE, orgId: 'greedy', sessionId: `g${n}` }, null);
  assert.equal(sessions.find('acme', 's1')?.modelRequests, 1);
  assert.equal(sessions.find('greedy', 'g0'), null);
  sessions.recordModelUse({ ...USE, sessionId: 's2' }, null);
  await sessions.flush();
  const counts = (await stored()).map((row) => [row.session_id, row.model_requests, row.relay_calls]);
  assert.deepEqual(counts.sort(), [
    ['s1', 1, 1],
    ['s2', 1, 0],
  ]);
});

test('ids that the database stores as the same id are one session', async (t) => {
  const { clock, open, stored } = await startHarness(t, openTestDatabase);
  const sessions = open();
  for (const session_id of ['a\u0000', 'a\ud800', 'a\ufffd'])
    sessions.recordRelayCall(KEY, { ...CALL, session_id }, clock.now());
  await sessions.flush();
  assert.deepEqual(
    (await stored()).map((row) => [row.session_id, row.relay_calls]),
    [['a\ufffd', 3]],
  );
  assert.equal(sessions.find('acme', 'a\ufffd')?.lastRelayCallAt, clock.now());
});

test('counts that the database rejects do not prevent that others are stored and read', async (t) => {
  const { clock, open, stored } = await startHarness(t);
  const [sessions, others] = [open(), open()];
  // The organization does not exist.
  for (const orgId of ['unknown', 'acme']) sessions.recordRelayCall({ ...KEY, orgId }, CALL, clock.now());
  others.recordRelayCall(KEY, { ...CALL, session_id: 'elsewhere' }, clock.now());
  await others.flush();
  await sessions.flush();
  assert.equal((await stored()).length, 2);
  assert.ok(sessions.find('acme', 'elsewhere'));
});

test('counts that are stored separately are kept if the database becomes unavailable', async (t) => {
  const { database, clock } = await startHarness(t);
  const orgs = ['acme', 'beta', 'gamma'];
  for (const id of orgs.slice(1))
    await database.transaction((writer) => insertOrg(writer, { id, name: id, created_at: 1 }));
  const failures = [new Error('rejected'), new Fault('overloaded', 'away')];
  const shaky: Pick<Database, 'read' | 'transaction'> = {
    read: database.read,
    async transaction(work) {
      const failure = failures.shift();
      if (failure) throw failure;
      return database.transaction(work);
    },
  };
  const sessions = new RelaySessionTracker(shaky, createRelayConfigRegistry(), clock, silentLog);
  for (const orgId of orgs) sessions.recordModelUse({ ...USE, orgId }, null);
  await sessions.flush();
  await sessions.flush();
  for (const orgId of orgs) {
    const { rows } = await getRelaySessionPage(database.read, { orgId, limit: 9 });
    assert.deepEqual(
      rows.map((row) => row.model_requests),
      [1],
      orgId,
    );
  }
});

test('calls of a process whose clock is ahead do not hide those of others', async (t) => {
  const { clock, open } = await startHarness(t);
  const [here, there] = [open(), open()];
  there.recordRelayCall(KEY, { ...CALL, session_id: 'ahead' }, clock.now() + 3_600_000);
  await there.flush();
  await here.flush();
  clock.advance(2_000);
  there.recordRelayCall(KEY, CALL, clock.now());
  await there.flush();
  await here.flush();
  assert.equal(here.find('acme', 's1')?.lastRelayCallAt, clock.now());
});

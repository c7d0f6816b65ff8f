import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { eventually } from '@floe/testkit/eventually';
import { type Clock, systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { DatabaseWithBeatStore } from '../store/open-database.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { createCoordinatedProcesses } from '../store/test/coordinated-processes.ts';
import { createLogSpy } from '../store/test/log-spy.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { startTcpProxy } from '../store/test/tcp-proxy.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitoringEngine } from './monitoring-engine.ts';
import { createMonitoringCounters } from './monitoring-metrics.ts';
import { createMonitor } from './monitors.ts';
import { ProcessLiveness } from './process-liveness.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

const MONITORS = 60;

/** Opens a database for a process with this number and clock. */
type OpenProcessDatabase = (number: number, clock: Clock) => Promise<DatabaseWithBeatStore>;

/** A process of its own as far as the store can tell: a connection, a lease, a clock that is `aheadMs` wrong. */
async function startProcess(t: TestContext, open: OpenProcessDatabase, number: number, aheadMs = 0) {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const database = await open(number, clock);
  const figures = createMonitoringCounters();
  const engine = new MonitoringEngine({ database, clock, log: silentLog, counters: figures });
  await engine.start();
  t.after(async () => {
    await engine.stop();
    await database.close();
  });
  return { database, engine };
}

function beat(engine: MonitoringEngine, id: string, idempotencyKey: string | null = null) {
  const { receivedAt: _, ...rest } = createTestBeatCall(id, 0, { idempotencyKey });
  return engine.recordBeat(rest);
}

async function addMonitors(database: DatabaseWithBeatStore, engine: MonitoringEngine): Promise<void> {
  await addTestOrg(database);
  const { nowMs, gaps } = await engine.changeContext();
  await runMonitorChange(database, { nowMs, gaps }, async (context) => {
    for (let n = 0; n < MONITORS; n++)
      await createMonitor(
        context,
        MONITOR_TEST_ORG,
        createTestMonitorDefinition(`job-${n}`, { expected_interval_minutes: 1440 }),
      );
  });
}

test('processes with clocks half a minute apart sweep and receive beats simultaneously, with one result', async (t) => {
  const url = await createTestDatabase(t);
  await requireOneResult(t, (_, clock) => openPostgres(url, { log: silentLog, clock }), 30_000);
});

test('processes on one SQLite file sweep and receive beats simultaneously, with one result', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const processes = createCoordinatedProcesses(systemClock);
  await requireOneResult(
    t,
    (number, clock) => openSqlite(path, { log: silentLog, clock, coordinator: processes.connect(number) }),
    0,
  );
});

async function requireOneResult(t: TestContext, open: OpenProcessDatabase, skewMs: number): Promise<void> {
  const [one, two, three] = [
    await startProcess(t, open, 1),
    await startProcess(t, open, 2, skewMs),
    await startProcess(t, open, 3, -skewMs),
  ];
  const all = [one, two, three];
  await addMonitors(one.database, one.engine);
  const answers = await Promise.all(
    all.flatMap(({ engine }) =>
      Array.from({ length: MONITORS }, (_, n) => beat(engine, `job-${n}`, `first beat of ${n}`)),
    ),
  );
  assert.equal(new Set(answers.map(({ beatId }) => beatId)).size, MONITORS, 'one beat per key');
  const times = await Promise.all(all.map(({ engine }) => beat(engine, 'job-0')));
  const spread = times.map(({ receivedAt }) => receivedAt - systemClock.now());
  assert.ok(
    spread.every((ms) => Math.abs(ms) < 10_000),
    `${spread}`,
  );
  // Every other one is overdue since a minute, as if its last beat had been a day earlier.
  const late = one.engine.now() - MINUTE;
  const overdue = await one.database.read.selectFrom('monitor_clocks').select(['uid', 'id']).execute();
  const dead = overdue.filter(({ id }) => Number(id.slice(4)) % 2 === 1).map(({ uid }) => uid);
  await one.database.transaction((writer) =>
    writer
      .updateTable('monitor_clocks')
      .set({ expected_at: late, due_at: late, wake_at: late, settled_at: late, period_at: late - 1 })
      .where('uid', 'in', dead)
      .execute(),
  );
  for (let round = 0; round < 3; round++) await Promise.all(all.map(({ engine }) => engine.pulseAndSweep()));
  const { read } = one.database;
  const missed = await read.selectFrom('checks').select('uid').where('status', '=', 'missed').execute();
  const failing = await read
    .selectFrom('monitor_periods')
    .select(['uid', 'started_at'])
    .where('status', '=', 'failing')
    .execute();
  const alerts = await read.selectFrom('alerts').select('event').execute();
  const sorted = (rows: readonly { uid: string }[]) => rows.map(({ uid }) => uid).toSorted();
  assert.deepEqual(sorted(missed), dead.toSorted());
  assert.deepEqual(sorted(failing), dead.toSorted());
  assert.ok(failing.every(({ started_at }) => started_at === late));
  assert.equal(alerts.length, dead.length);
  assert.deepEqual(await read.selectFrom('monitor_gaps').selectAll().execute(), []);
}

test('a pulse that waits for a transaction of another process is no change of the clock', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const processes = createCoordinatedProcesses(systemClock);
  const log = createLogSpy();
  let passedMs = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + passedMs,
    monotonic: () => systemClock.monotonic() + passedMs,
  };
  const database = await openSqlite(path, { log, clock, coordinator: processes.connect(1) });
  t.after(() => database.close());
  const pulse = new ProcessLiveness({
    database,
    clock,
    log,
    oldestPendingAt: () => null,
    afterPulse: async () => undefined,
  });
  await pulse.prepare();
  for (let round = 0; round < 3; round++) {
    const unlock = await processes.connect(2).lockWrites();
    const sending = pulse.send();
    passedMs += 3_000;
    unlock?.();
    await sending;
  }
  const warnings = log.lines.filter(({ level }) => level !== 'info');
  assert.deepEqual(warnings, []);
});

test('the time is exact if the first pulse waits for a transaction of another process', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const processes = createCoordinatedProcesses(systemClock);
  const coordinator = processes.connect(1);
  const database = await openSqlite(path, { log: silentLog, clock: systemClock, coordinator });
  t.after(() => database.close());
  const clock = new ManualClock();
  const afterPulse = async () => undefined;
  const pulse = new ProcessLiveness({
    database,
    clock,
    log: silentLog,
    oldestPendingAt: () => null,
    afterPulse,
  });
  const unlock = await processes.connect(2).lockWrites();
  const sending = pulse.prepare();
  clock.advance(3_000);
  unlock?.();
  await sending;
  assert.equal(pulse.now(), clock.now());
});

test('while the database is unavailable, beats are rejected with a retry time, and no accepted beat is lost', async (t) => {
  const url = await createTestDatabase(t);
  const proxy = await startTcpProxy(url);
  t.after(() => proxy.close());
  const { database, engine } = await startProcess(
    t,
    (_, clock) => openPostgres(proxy.url, { log: silentLog, clock }),
    1,
  );
  await addMonitors(database, engine);
  const taken = [(await beat(engine, 'job-1')).beatId];
  proxy.cut();
  const refused = await Promise.allSettled(Array.from({ length: 20 }, () => beat(engine, 'job-1')));
  for (const result of refused) {
    assert.equal(result.status, 'rejected');
    assert.ok(result.reason instanceof Fault);
    assert.equal(result.reason.status, 503);
    assert.ok(result.reason.detail.retryAfterMs);
  }
  proxy.restore();
  // A connection that was begun before may still fail: whoever is told to wait asks again.
  const accepted = await eventually(() => beat(engine, 'job-1'));
  taken.push(accepted.beatId);
  const rows = await database.read.selectFrom('checks').select('id').execute();
  for (const id of taken) assert.ok(rows.some((row) => row.id === id));
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock } from '@floe/testkit/fake-clock';
import { sql } from 'kysely';
import { type Clock, systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { findMonitorById } from '../store/monitoring/monitors.ts';
import { OutdatedTimeFault } from '../store/monitoring/rewind-count.ts';
import type { DatabaseWithBeatStore } from '../store/open-database.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { createCoordinatedProcesses } from '../store/test/coordinated-processes.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitoringEngine } from './monitoring-engine.ts';
import { createMonitoringCounters } from './monitoring-metrics.ts';
import { createMonitor } from './monitors.ts';
import { clampReceivedAt } from './received-beat.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  loadRecordedHistory,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

const HOUR_MS = 3_600_000;

/** Several processes on one database, whose clock a test sets back. */
interface Cluster {
  open(number: number): Promise<DatabaseWithBeatStore>;
  readonly clock: Clock;
  setBack(ms: number): Promise<void>;
}

function createSqliteCluster(t: TestContext): Cluster {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const processes = createCoordinatedProcesses(systemClock);
  const clock = new FakeClock();
  return {
    clock,
    open: (number) => openSqlite(path, { log: silentLog, clock, coordinator: processes.connect(number) }),
    async setBack(ms) {
      clock.step(-ms);
    },
  };
}

/** Replaces the function that returns the time of the database server. */
async function createPostgresCluster(t: TestContext): Promise<Cluster> {
  const url = await createTestDatabase(t);
  const open = async () => openPostgres(url, { log: silentLog, clock: systemClock });
  const setUp = await open();
  const setClock = (ms: number) =>
    setUp.rowTransaction(async (writer) => {
      await sql`create or replace function public.clock_timestamp() returns timestamptz language sql volatile as
        ${sql.lit(`select pg_catalog.clock_timestamp() - interval '${ms} milliseconds'`)}`.execute(writer);
    });
  await setClock(0);
  await setUp.transaction(async (writer) => {
    await sql`do 'begin execute format(''alter database %I set search_path = public, pg_catalog'', current_database()); end'`.execute(
      writer,
    );
  });
  t.after(() => setUp.close());
  return { clock: systemClock, open, setBack: setClock };
}

/** A process that sends pulses and sweeps only when the test requires it. */
async function startEngine(t: TestContext, cluster: Cluster, number: number) {
  const database = await cluster.open(number);
  const { clock: shared } = cluster;
  const clock: Clock = {
    now: () => shared.now(),
    monotonic: () => shared.monotonic(),
    after: () => ({ cancel: () => undefined }),
  };
  const counters = createMonitoringCounters();
  const engine = new MonitoringEngine({ database, clock, log: silentLog, counters });
  await engine.start();
  t.after(async () => {
    await engine.stop();
    await database.close();
  });
  return { database, engine };
}

async function requireNoInventedMisses(t: TestContext, cluster: Cluster): Promise<void> {
  const one = await startEngine(t, cluster, 1);
  const two = await startEngine(t, cluster, 2);
  await addTestOrg(one.database);
  const change = await one.engine.changeContext();
  await runMonitorChange(one.database, change, (changing) =>
    createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
  );
  const { receivedAt: _, ...beat } = createTestBeatCall('job', 0);
  await two.engine.recordBeat(beat);
  const outdated = two.engine.evaluationContext();
  await cluster.setBack(HOUR_MS);
  await one.engine.pulseAndSweep();
  const { receivedAt } = await two.engine.recordBeat(beat);
  assert.ok(Math.abs(receivedAt - one.engine.now()) < 60_000, 'the time of the beat is that of the clock');
  const row = await findMonitorById(one.database.read, MONITOR_TEST_ORG, 'job');
  assert.ok(row);
  const state = await one.database.read.selectFrom('monitor_clocks').selectAll().executeTakeFirstOrThrow();
  assert.equal(state.status, 'healthy');
  assert.ok((state.last_beat_at ?? 0) <= one.engine.now() + 1_000);
  const { checks, alerts } = await loadRecordedHistory(one.database, row.uid);
  assert.deepEqual(
    checks.filter((line) => !line.startsWith('ok')),
    [],
  );
  assert.deepEqual(alerts, []);
  await assert.rejects(
    runMonitorChange(two.database, outdated, (changing) =>
      createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('late')),
    ),
    OutdatedTimeFault,
  );
}

test('sqlite: a process that does not know yet that the clock was set back records no misses', (t) =>
  requireNoInventedMisses(t, createSqliteCluster(t)));

test('postgres: a process that does not know yet that the clock was set back records no misses', async (t) =>
  requireNoInventedMisses(t, await createPostgresCluster(t)));

test('the only process detects that a starting process has moved the times back', async (t) => {
  for (const cluster of [createSqliteCluster(t), await createPostgresCluster(t)]) {
    const one = await startEngine(t, cluster, 1);
    await addTestOrg(one.database);
    await runMonitorChange(one.database, await one.engine.changeContext(), (changing) =>
      createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
    );
    const { receivedAt: _, ...beat } = createTestBeatCall('job', 0);
    await one.engine.recordBeat(beat);
    // The stored state still equals the state that this process has cached. Only the count differs.
    await cluster.setBack(HOUR_MS);
    await one.database.transaction((writer) =>
      writer.updateTable('monitor_pulse').set({ rewind_count: 1 }).execute(),
    );
    const before = one.engine.now();
    const { receivedAt } = await one.engine.recordBeat(beat);
    assert.ok(receivedAt < before - HOUR_MS / 2, 'the beat has the time of the clock');
  }
});

test('postgres: the times are moved back only after transactions that use the earlier times', async (t) => {
  const cluster = await createPostgresCluster(t);
  const one = await startEngine(t, cluster, 1);
  const two = await startEngine(t, cluster, 2);
  await addTestOrg(one.database);
  const change = await one.engine.changeContext();
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const changing = runMonitorChange(one.database, change, async (context) => {
    await createMonitor(context, MONITOR_TEST_ORG, createTestMonitorDefinition('job'));
    entered.resolve();
    await leave.promise;
  });
  await entered.promise;
  await cluster.setBack(HOUR_MS);
  const pulse = two.engine.pulseAndSweep();
  await eventually(async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_locks
      where not granted and locktype in ('transactionid', 'tuple')`.execute(one.database.read);
    return (rows[0]?.count ?? 0) > 0 ? true : undefined;
  });
  leave.resolve();
  await Promise.all([changing, pulse]);
  const state = await one.database.read.selectFrom('monitor_clocks').selectAll().executeTakeFirstOrThrow();
  assert.ok(state.settled_at <= two.engine.now(), 'the new monitor was moved back too');
});

test('a sweep that begins before the clock is set back does not use the earlier times', async (t) => {
  const cluster = createSqliteCluster(t);
  const one = await startEngine(t, cluster, 1);
  let afterPulse: (() => Promise<void>) | null = null;
  const open: Cluster['open'] = async (number) => {
    const database = await cluster.open(number);
    return {
      ...database,
      read: database.read,
      close: () => database.close(),
      rowTransaction: async (work) => {
        const result = await database.rowTransaction(work);
        const next = afterPulse;
        afterPulse = null;
        await next?.();
        return result;
      },
    };
  };
  const two = await startEngine(t, { ...cluster, open }, 2);
  await addTestOrg(one.database);
  const change = await one.engine.changeContext();
  await runMonitorChange(one.database, change, (changing) =>
    createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
  );
  await one.database.transaction((writer) =>
    writer.updateTable('monitor_clocks').set({ wake_at: 0 }).execute(),
  );
  afterPulse = async () => {
    await cluster.setBack(HOUR_MS);
    await one.engine.pulseAndSweep();
    await one.database.transaction((writer) =>
      writer.updateTable('monitor_clocks').set({ wake_at: 0 }).execute(),
    );
  };
  await two.engine.pulseAndSweep();
  const state = await one.database.read.selectFrom('monitor_clocks').selectAll().executeTakeFirstOrThrow();
  assert.ok(state.settled_at <= one.engine.now() + 1_000, 'the sweep recorded a time in the future');
});

test('a beat that waited while the clock was set back was not received later than now', () => {
  const [beat] = clampReceivedAt(
    [{ ...createTestBeatCall('job', HOUR_MS), earliestReceivedAt: HOUR_MS - 5_000 }],
    1_000,
  );
  assert.equal(beat?.receivedAt, 1_000);
  assert.equal(beat?.earliestReceivedAt, 1_000);
  const [other] = clampReceivedAt([createTestBeatCall('job', HOUR_MS)], 1_000);
  assert.equal(other?.receivedAt, 1_000);
  assert.equal(other?.earliestReceivedAt, undefined);
});

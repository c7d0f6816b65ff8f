import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { findMonitorById } from '../../store/monitoring/monitors.ts';
import type { DatabaseWithBeatStore } from '../../store/open-database.ts';
import { openSqlite } from '../../store/sqlite/open-sqlite.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import { MonitoringEngine } from '../monitoring-engine.ts';
import { createMonitoringCounters } from '../monitoring-metrics.ts';
import { createMonitor } from '../monitors.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  loadRecordedHistory,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test-monitors.ts';

export interface TestProcess {
  readonly engine: MonitoringEngine;
  /** Stops the process like `kill -9`: none of its timers runs again. */
  crash(): void;
}

export interface TestCluster {
  readonly clock: FakeClock;
  readonly database: DatabaseWithBeatStore;
  /** @param processId the id of the previous process, for one that replaces it */
  start(processId?: string, through?: DatabaseWithBeatStore): Promise<TestProcess>;
  /** Prepares a process that does not accept beats yet. */
  prepare(processId?: string, through?: DatabaseWithBeatStore): Promise<TestProcess>;
  /** Advances the time without running anything. */
  stall(ms: number): void;
  add(engine: MonitoringEngine, ids: readonly string[], minutes: number, grace?: number): Promise<void>;
  history(id: string): Promise<Awaited<ReturnType<typeof loadRecordedHistory>>>;
  count(status: string): Promise<number>;
}

/** Creates a database with an organization, processes that can start and stop, and a manual clock. */
export async function createTestCluster(t: TestContext): Promise<TestCluster> {
  const clock = new FakeClock();
  let stalled = 0;
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock });
  t.after(() => database.close());
  await addTestOrg(database);
  async function prepare(processId?: string, through = database): Promise<TestProcess> {
    let alive = true;
    const own: Clock = {
      now: () => clock.now() + stalled,
      monotonic: () => clock.monotonic() + stalled,
      after: (ms, callback) => clock.after(ms, () => alive && callback()),
    };
    const engine = new MonitoringEngine({
      database: through,
      clock: own,
      log: silentLog,
      counters: createMonitoringCounters(),
      ...(processId === undefined ? {} : { processId }),
    });
    await engine.prepare();
    return {
      engine,
      crash() {
        alive = false;
      },
    };
  }
  return {
    clock,
    database,
    stall(ms) {
      stalled += ms;
    },
    async start(processId, through) {
      const started = await prepare(processId, through);
      await started.engine.start();
      return started;
    },
    prepare,
    async add(engine, ids, minutes, grace = 0) {
      const { nowMs, gaps } = await engine.changeContext();
      const shape = { expected_interval_minutes: minutes, grace_period_minutes: grace };
      await runMonitorChange(database, { nowMs, gaps }, async (context) => {
        for (const id of ids)
          await createMonitor(context, MONITOR_TEST_ORG, createTestMonitorDefinition(id, shape));
      });
    },
    history: (id) => historyById(database, id),
    count: (status) => countChecks(database, status),
  };
}

async function historyById(database: DatabaseWithBeatStore, id: string) {
  const row = await findMonitorById(database.read, MONITOR_TEST_ORG, id);
  assert.ok(row);
  return loadRecordedHistory(database, row.uid);
}

async function countChecks(database: DatabaseWithBeatStore, status: string): Promise<number> {
  const rows = await database.read
    .selectFrom('checks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', status)
    .execute();
  return rows[0]?.count ?? 0;
}

/**
 * Advances the manual clock for a running process. The process records that it is running and
 * sweeps every three seconds.
 */
export async function runEngineFor(clock: FakeClock, engine: MonitoringEngine, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 3_000) {
    clock.advance(Math.min(3_000, left));
    await engine.pulseAndSweep();
    await engine.pulseAndSweep();
  }
}

export function recordTestBeat(engine: MonitoringEngine, id: string) {
  const { receivedAt: _, ...rest } = createTestBeatCall(id, 0);
  return engine.recordBeat(rest);
}

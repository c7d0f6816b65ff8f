import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { FakeClock } from '@floe/testkit/clock';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { monitorById } from '../../store/monitoring/definitions.ts';
import type { Store } from '../../store/open-database.ts';
import { openSqlite } from '../../store/sqlite/open-sqlite.ts';
import { temporaryDirectory } from '../../store/test/temporary-directory.ts';
import { MonitoringEngine } from '../engine.ts';
import { createMonitoringFigures } from '../figures.ts';
import { createMonitor } from '../monitors.ts';
import { addOrg, call, changed, historyOf, monitor, ORG } from './monitors.ts';

export interface Process {
  readonly engine: MonitoringEngine;
  /** Ends it as kill -9 would: no timer of its runs any more. */
  crash(): void;
}

export interface House {
  readonly clock: FakeClock;
  readonly database: Store;
  /** @param processId the same as before for one that takes the place of the last */
  start(processId?: string, through?: Store): Promise<Process>;
  /** One that cannot be reached yet. */
  prepare(processId?: string, through?: Store): Promise<Process>;
  /** Nothing runs for so long, and nobody notices before it does again. */
  stall(ms: number): void;
  add(engine: MonitoringEngine, ids: readonly string[], minutes: number, grace?: number): Promise<void>;
  history(id: string): Promise<Awaited<ReturnType<typeof historyOf>>>;
  count(status: string): Promise<number>;
}

/** A store with an org, and processes that come and go on it; time passes by hand. */
export async function house(t: TestContext): Promise<House> {
  const clock = new FakeClock();
  let stalled = 0;
  const path = join(temporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock });
  t.after(() => database.close());
  await addOrg(database);
  async function prepare(processId?: string, through = database): Promise<Process> {
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
      figures: createMonitoringFigures(),
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
      const { nowMs, gaps } = await engine.moment();
      const shape = { expected_interval_minutes: minutes, grace_period_minutes: grace };
      await changed(database, { nowMs, gaps }, async (changing) => {
        for (const id of ids) await createMonitor(changing, ORG, monitor(id, shape));
      });
    },
    history: (id) => historyById(database, id),
    count: (status) => countChecks(database, status),
  };
}

async function historyById(database: Store, id: string) {
  const row = await monitorById(database.read, ORG, id);
  assert.ok(row);
  return historyOf(database, row.uid);
}

async function countChecks(database: Store, status: string): Promise<number> {
  const rows = await database.read
    .selectFrom('checks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', status)
    .execute();
  return rows[0]?.count ?? 0;
}

/** Time passes for a process that is there: a pulse every three seconds, and the sweep after it. */
export async function live(clock: FakeClock, engine: MonitoringEngine, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 3_000) {
    clock.advance(Math.min(3_000, left));
    await engine.lookNow();
    await engine.lookNow();
  }
}

export function beat(engine: MonitoringEngine, id: string) {
  const { receivedAt: _, ...rest } = call(id, 0);
  return engine.beat(rest);
}

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/clock';
import type { Clock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { monitorById } from '../store/monitoring/definitions.ts';
import type { Database } from '../store/ports.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { temporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitoringEngine } from './engine.ts';
import { createMonitoringFigures } from './figures.ts';
import { createMonitor } from './monitors.ts';
import { listMonitors, readPeriods, readUptime } from './read.ts';
import { addOrg, call, changed, historyOf, MINUTE, monitor, ORG } from './test/monitors.ts';

const full = process.env['FLOE_TEST_FULL'] !== undefined;
const HOUR = 60 * MINUTE;

interface Process {
  readonly engine: MonitoringEngine;
  /** Ends it as kill -9 would: no timer of its runs any more. */
  crash(): void;
}

interface House {
  readonly clock: FakeClock;
  readonly database: Database;
  start(): Promise<Process>;
  add(engine: MonitoringEngine, ids: readonly string[], minutes: number, grace?: number): Promise<void>;
  history(id: string): Promise<Awaited<ReturnType<typeof historyOf>>>;
  count(status: string): Promise<number>;
}

async function house(t: TestContext): Promise<House> {
  const clock = new FakeClock();
  const path = join(temporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock });
  t.after(() => database.close());
  await addOrg(database);
  return {
    clock,
    database,
    async start() {
      let alive = true;
      const own: Clock = {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        after: (ms, callback) => clock.after(ms, () => alive && callback()),
      };
      const figures = createMonitoringFigures();
      const engine = new MonitoringEngine({ database, clock: own, log: silentLog, figures });
      await engine.start();
      return {
        engine,
        crash() {
          alive = false;
        },
      };
    },
    async add(engine, ids, minutes, grace = 0) {
      const { nowMs, gaps } = await engine.moment();
      const shape = { expected_interval_minutes: minutes, grace_period_minutes: grace };
      await changed(database, nowMs, gaps, async (changing) => {
        for (const id of ids) await createMonitor(changing, ORG, monitor(id, shape));
      });
    },
    async history(id) {
      const row = await monitorById(database.read, ORG, id);
      assert.ok(row);
      return historyOf(database, row.uid);
    },
    async count(status) {
      const rows = await database.read
        .selectFrom('checks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('status', '=', status)
        .execute();
      return rows[0]?.count ?? 0;
    },
  };
}

/** Time passes for a process that is there: a pulse every three seconds, and the sweep after it. */
async function live(clock: FakeClock, engine: MonitoringEngine, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 3_000) {
    clock.advance(Math.min(3_000, left));
    await engine.lookNow();
    await engine.lookNow();
  }
}

function beat(engine: MonitoringEngine, id: string) {
  const { receivedAt: _, ...rest } = call(id, 0);
  return engine.beat(rest);
}

test('an hour without us is nobody’s failure: 10,000 clients beat on, and one that died before is found after', async (t) => {
  const { clock, database, start, add, count, history } = await house(t);
  const clients = full ? 10_000 : 1_000;
  const ids = Array.from({ length: clients }, (_, n) => `job-${n}`);
  const before = await start();
  await add(before.engine, [...ids, 'dead'], 5, 1);
  await Promise.all([...ids, 'dead'].map((id) => beat(before.engine, id)));
  await live(clock, before.engine, 2 * MINUTE);
  before.crash();
  clock.advance(HOUR);
  const { engine, crash } = await start();
  const back = engine.now();
  await live(clock, engine, 4 * MINUTE);
  await Promise.all(ids.map((id) => beat(engine, id)));
  await live(clock, engine, 2 * MINUTE - 6_000);
  assert.equal(await count('missed'), 0);
  await live(clock, engine, 9_000);
  const dead = await history('dead');
  assert.deepEqual(
    dead.periods.slice(-1),
    [`${back + 6 * MINUTE} failing`],
    'fails at restart + interval + grace',
  );
  assert.equal(await count('missed'), 1);
  assert.equal(await count('unknown'), clients + 1);
  assert.deepEqual(
    (await history('job-1')).periods.map((line) => line.split(' ')[1]),
    ['healthy'],
  );
  const listed = async (search: string) => {
    const { rows } = await listMonitors(database.read, { orgId: ORG, limit: 500, search }, engine.sight());
    return [...new Set(rows.map((view) => view.clock.status))];
  };
  assert.deepEqual(await listed('DEAD'), ['failing']);
  assert.deepEqual(await listed('job-'), ['healthy']);
  crash();
});

test('a suspended machine and a clock that is set make no miss; what they hid is unknown', async (t) => {
  const { clock, database, start, add, count } = await house(t);
  const { engine, crash } = await start();
  await add(engine, ['job'], 1);
  await beat(engine, 'job');
  await live(clock, engine, 30_000);
  // Suspended for ten minutes: the monotonic clock stood still, the wall clock did not.
  clock.step(10 * MINUTE);
  await live(clock, engine, 45_000);
  await beat(engine, 'job');
  assert.equal(await count('missed'), 0);
  // Set back by an hour: time follows, and what was recorded goes back with it.
  clock.step(-HOUR);
  await live(clock, engine, 30_000);
  assert.equal(engine.now(), clock.now());
  await beat(engine, 'job');
  assert.equal(await count('missed'), 0);
  await live(clock, engine, 66_000);
  assert.equal(await count('missed'), 1);
  const [view] = (await listMonitors(database.read, { orgId: ORG, limit: 1 }, engine.sight())).rows;
  assert.ok(view);
  const range = { fromMs: 0, toMs: engine.now() };
  const spans = await readPeriods(database.read, view, range, engine.sight());
  assert.deepEqual(
    spans.map(({ status }) => status),
    ['waiting', 'healthy', 'unknown', 'healthy', 'failing'].slice(1),
  );
  const uptime = await readUptime(database.read, view, range, engine.sight());
  const unknown = spans.find(({ status }) => status === 'unknown');
  assert.ok(unknown && unknown.endedAt !== null);
  assert.equal(uptime.unknownMs, unknown.endedAt - unknown.startedAt);
  assert.equal(uptime.incidents, 1);
  crash();
});

test('a beat is judged by nobody before it is written: the sweep waits for what is on its way', async (t) => {
  const { clock, start, add, count, history } = await house(t);
  const one = await start();
  await add(one.engine, ['job'], 1);
  await beat(one.engine, 'job');
  await live(clock, one.engine, 58_000);
  clock.advance(1_000);
  const onTime = beat(one.engine, 'job');
  clock.advance(2_000);
  const other = await start();
  await Promise.all([other.engine.lookNow(), one.engine.lookNow(), onTime]);
  await other.engine.lookNow();
  assert.equal(await count('missed'), 0);
  assert.deepEqual((await history('job')).periods.length, 1);
  one.crash();
  other.crash();
});

test('one process of two that ends makes no gap; the last one that ends does', async (t) => {
  const { clock, database, start } = await house(t);
  const gaps = () => database.read.selectFrom('monitor_gaps').selectAll().execute();
  const first = await start();
  const second = await start();
  await live(clock, first.engine, 3_000);
  await second.engine.lookNow();
  first.crash();
  await live(clock, second.engine, 12_000);
  assert.deepEqual(await gaps(), []);
  await second.engine.leave();
  second.crash();
  clock.advance(2_000);
  const third = await start();
  const [gap, ...more] = await gaps();
  assert.ok(gap);
  assert.equal(gap.ended_at - gap.started_at, 2_000);
  assert.deepEqual(more, []);
  third.crash();
});

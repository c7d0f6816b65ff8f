// Tier: ci. Random histories over both databases.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import fc from 'fast-check';
import { systemClock } from '../core/clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { findMonitorById } from '../store/monitoring/monitors.ts';
import type { DatabaseWithBeatStore } from '../store/open-database.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitoringEngine } from './monitoring-engine.ts';
import { createMonitoringCounters } from './monitoring-metrics.ts';
import { createMonitor } from './monitors.ts';
import { MonitorModel, type MonitorModelEvent } from './test/monitor-model.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  loadRecordedHistory,
  MINUTE,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

const RUNS = process.env['FLOE_TEST_FULL'] === undefined ? 15 : 150;
const S = 1_000;

/** What may happen to a process and its clock. Seconds. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('live' as const), for: fc.nat(150) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('ok' as const, 'fail' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('set' as const), by: fc.nat(600) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), for: fc.nat(200) }) },
);
const story = fc.record({
  intervalMs: fc.constantFrom(30 * S, 60 * S),
  graceMs: fc.constantFrom(0, 7 * S),
  steps: fc.array(step, { maxLength: 25 }),
});
/** Found once: the gap of a clock set forward was judged as two halves. */
const SET_FORWARD = {
  intervalMs: 30 * S,
  graceMs: 0,
  steps: [
    { kind: 'ok' as const },
    { kind: 'live' as const, for: 27 },
    { kind: 'set' as const, by: 3 },
    { kind: 'live' as const, for: 3 },
  ],
};
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** A process with a wall clock that is set and a steady one; it looks only when it is told to. */
class Life {
  readonly clock = new FakeClock();
  readonly #database: DatabaseWithBeatStore;
  readonly #log: Log;
  #engine: MonitoringEngine;

  constructor(database: DatabaseWithBeatStore, log: Log = silentLog) {
    this.#database = database;
    this.#log = log;
    this.#engine = this.#born();
  }

  get engine(): MonitoringEngine {
    return this.#engine;
  }

  async live(seconds: number, step = 3): Promise<void> {
    for (let left = seconds; left > 0; left -= step) {
      this.clock.advance(Math.min(step, left) * S);
      await this.#engine.pulseAndSweep();
    }
  }

  async die(seconds: number): Promise<void> {
    await this.#engine.pulseAndSweep();
    this.clock.advance(seconds * S);
    await this.rise();
  }

  /** Another process takes the place of the one that is gone. */
  async rise(): Promise<void> {
    this.#engine = this.#born();
    await this.#engine.prepare();
    await this.#engine.start();
  }

  #born(): MonitoringEngine {
    const { clock } = this;
    const still = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: () => ({ cancel: () => undefined }),
    };
    const figures = createMonitoringCounters();
    return new MonitoringEngine({
      database: this.#database,
      clock: still,
      log: this.#log,
      counters: figures,
      processId: 'life',
    });
  }
}

/** Tells the story to an engine; gives what was received when. */
async function tell(life: Life, id: string, { steps }: Story): Promise<MonitorModelEvent[]> {
  const received: MonitorModelEvent[] = [];
  const send = async (kind: 'ok' | 'fail' | 'log') => {
    // One event per second, so that there is one order.
    life.clock.advance(S);
    const { receivedAt: _, ...rest } = createTestBeatCall(id, 0, { kind });
    const { receivedAt } = await life.engine.recordBeat(rest);
    received.push({ at: receivedAt, kind });
  };
  for (const one of steps)
    switch (one.kind) {
      case 'live':
        await life.live(one.for);
        break;
      case 'set':
        life.clock.step(one.by * S);
        break;
      case 'die':
        await life.die(one.for);
        break;
      default:
        await send(one.kind);
    }
  await life.live(1);
  await send('log');
  await life.engine.pulseAndSweep();
  return received;
}

/** For a monitor a gap begins no earlier than what was last heard from it. */
function gapsFor(
  gaps: readonly { started_at: number; ended_at: number; clock_stepped: number }[],
  received: readonly MonitorModelEvent[],
  from: number,
) {
  return gaps
    .filter(({ ended_at }) => ended_at > from)
    .map(({ started_at, ended_at, clock_stepped }) => {
      const within = received.map(({ at }) => at).filter((at) => at < ended_at);
      return {
        startAt: Math.max(started_at, from, ...within.filter((at) => at > started_at)),
        endAt: ended_at,
        isClockJump: clock_stepped === 1,
      };
    });
}

test('sqlite: for any clock step and any process end, the history equals the model (6.12)', async (t) => {
  const counts = { stories: 0, gaps: 0, missed: 0 };
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: new FakeClock() });
  t.after(() => database.close());
  await addTestOrg(database);
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      counts.stories += 1;
      await forgetTime(database);
      const life = new Life(database);
      await life.engine.start();
      const id = `story-${counts.stories}`;
      const { nowMs, gaps } = await life.engine.changeContext();
      await runMonitorChange(database, { nowMs, gaps }, (changing) =>
        createMonitor(
          changing,
          MONITOR_TEST_ORG,
          createTestMonitorDefinition(id, {
            expected_interval_minutes: told.intervalMs / MINUTE,
            grace_period_minutes: told.graceMs / MINUTE,
          }),
        ),
      );
      const received = await tell(life, id, told);
      const row = await findMonitorById(database.read, MONITOR_TEST_ORG, id);
      assert.ok(row);
      const recorded = await loadRecordedHistory(database, row.uid);
      const stored = await database.read
        .selectFrom('monitor_gaps')
        .selectAll()
        .orderBy('started_at')
        .execute();
      const { intervalMs, graceMs } = told;
      const model = new MonitorModel({ schedule: { intervalMs }, graceMs, alertAfter: 1 }, nowMs);
      const end = received.at(-1)?.at ?? nowMs;
      const expected = model.run(nowMs + S, end, received, gapsFor(stored, received, nowMs));
      assert.deepEqual(recorded, expected);
      counts.gaps += stored.length;
      counts.missed += recorded.checks.filter((line) => line.startsWith('missed')).length;
    }),
    { numRuns: RUNS, examples: [[SET_FORWARD]] },
  );
  t.diagnostic(`${counts.stories} stories, ${counts.gaps} gaps, ${counts.missed} misses`);
});

/** Where a clock is set while a job beats every minute, in seconds; now and then the process ends meanwhile. */
const setting = fc.record({
  /** Seconds after the last beat. */
  after: fc.integer({ min: 1, max: 57 }),
  by: fc
    .oneof(
      fc.integer({ min: -7_200, max: 7_200 }),
      fc.integer({ min: -90, max: 90 }),
      fc.constantFrom(3_600, -3_600),
    )
    // A second and less is no step: a beat may look late by as much.
    .filter((seconds) => Math.abs(seconds) !== 1),
  restarts: fc.boolean(),
  /** Beats until the next time. */
  beats: fc.integer({ min: 1, max: 4 }),
});
const settings = fc.record({
  sets: fc.array(setting, { minLength: 1, maxLength: 5 }),
  graceMs: fc.constantFrom(0, 7 * S),
  byCron: fc.boolean(),
});

test('sqlite: after any clock change, a job with beats is not failing, and a stopped job is detected', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: new FakeClock() });
  t.after(() => database.close());
  await addTestOrg(database);
  let stories = 0;
  await fc.assert(
    fc.asyncProperty(settings, async ({ sets, graceMs, byCron }) => {
      stories += 1;
      await forgetTime(database);
      const life = new Life(database);
      await life.engine.start();
      const ids = [`alive-${stories}`, `dead-${stories}`];
      const plan = byCron
        ? { schedule: { cron: '* * * * *' }, grace_period_minutes: 1 }
        : { expected_interval_minutes: 1, grace_period_minutes: graceMs / MINUTE };
      const { nowMs, gaps } = await life.engine.changeContext();
      await runMonitorChange(database, { nowMs, gaps }, async (changing) => {
        for (const id of ids)
          await createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id, plan));
      });
      const send = (id: string) => {
        const { receivedAt: _, ...rest } = createTestBeatCall(id, 0);
        return life.engine.recordBeat(rest);
      };
      await Promise.all(ids.map(send));
      for (const { after, by, restarts, beats } of sets) {
        await life.live(after);
        life.clock.step(by * S);
        // A clock that is set a little ahead while no process runs looks like time that passed.
        const isNoticed = by < 0 || by > 90;
        if (restarts && isNoticed) await life.die(1);
        await life.live(60 - after - (restarts && isNoticed ? 1 : 0), 9);
        assert.ok(Math.abs(life.engine.now() - life.clock.now()) <= S, 'time is that of the clock');
        for (let n = 0; n < beats; n++) {
          if (n > 0) await life.live(60, 9);
          assert.equal((await send(ids[0] ?? '')).status, 'healthy');
        }
      }
      for (let n = 0; n < 4; n++) {
        await life.live(60, 9);
        await send(ids[0] ?? '');
      }
      const [alive, dead] = await Promise.all(
        ids.map(async (id) => {
          const row = await findMonitorById(database.read, MONITOR_TEST_ORG, id);
          assert.ok(row);
          return loadRecordedHistory(database, row.uid);
        }),
      );
      assert.deepEqual(alive?.alerts, [], 'a job that beat was called failing');
      assert.ok(
        dead?.periods.at(-1)?.endsWith('failing') && dead.alerts.length > 0,
        'nobody heard of the dead one',
      );
      const starts = [...(alive?.periods ?? []), ...(dead?.periods ?? [])].map((line) =>
        Number.parseInt(line, 10),
      );
      assert.ok(
        starts.every((at) => at <= life.clock.now()),
        'a period begins in the future',
      );
    }),
    { numRuns: RUNS },
  );
});

test('a clock that is set is logged in both directions, and a restart with an earlier clock keeps no later time', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: new FakeClock() });
  t.after(() => database.close());
  const told: string[] = [];
  const log = {
    ...silentLog,
    warn: (_: object, text: string) => void told.push(text.split(/[,;]/, 1)[0] ?? ''),
  };
  const life = new Life(database, log);
  await life.engine.start();
  for (const by of [3_600, -3_600]) {
    life.clock.step(by * S);
    await life.live(3);
  }
  assert.deepEqual(told, ['database clock was set forward', 'database clock was set back']);
  life.clock.step(3_600 * S);
  await life.live(3);
  life.clock.step(-3_600 * S);
  await life.rise();
  assert.equal(life.engine.now(), life.clock.now());
  assert.equal(told.at(-1), 'database clock was set back');
  const { rewindCount } = life.engine.evaluationContext();
  await life.live(3);
  assert.equal(life.engine.now(), life.clock.now());
  assert.equal(life.engine.evaluationContext().rewindCount, rewindCount);
});

test('a monitor that cannot be evaluated does not prevent that the times of others are moved back', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: new FakeClock() });
  t.after(() => database.close());
  await addTestOrg(database);
  const failed: object[] = [];
  const life = new Life(database, { ...silentLog, error: (fields: object) => void failed.push(fields) });
  await life.engine.start();
  life.clock.step(3_600 * S);
  await life.live(3);
  const context = await life.engine.changeContext();
  await runMonitorChange(database, context, async (changing) => {
    for (const id of ['invalid', 'valid'])
      await createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id));
  });
  await database.transaction((writer) =>
    writer
      .updateTable('monitor_clocks')
      .set({ cron: 'not a schedule', interval_ms: null, timezone: 'Nowhere' })
      .where('id', '=', 'invalid')
      .execute(),
  );
  life.clock.step(-3_600 * S);
  await life.live(3);
  assert.equal(life.engine.now(), life.clock.now());
  const states = await database.read.selectFrom('monitor_clocks').selectAll().orderBy('id').execute();
  assert.deepEqual(
    states.map(({ id, settled_at }) => [id, settled_at <= life.clock.now()]),
    [
      ['invalid', false],
      ['valid', true],
    ],
  );
  assert.equal(failed.length, 1);
});

test('postgres: a process that finds a time later than the database clock moves it back', async (t) => {
  const url = await createTestDatabase(t);
  const database = await openPostgres(url, { log: silentLog, clock: systemClock });
  t.after(() => database.close());
  const HOUR = 3_600_000;
  await addTestOrg(database);
  const before = Date.now();
  await runMonitorChange(database, { nowMs: before + HOUR }, (changing) =>
    createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
  );
  await database.transaction(async (writer) => {
    await writer
      .insertInto('monitor_pulse')
      .values({ id: 1, seen_at: before + HOUR })
      .execute();
    const ahead = {
      started_at: before + HOUR - 60_000,
      ended_at: before + HOUR,
      inferred: 0,
      clock_stepped: 0,
    };
    await writer.insertInto('monitor_gaps').values(ahead).execute();
  });
  const figures = createMonitoringCounters();
  const engine = new MonitoringEngine({ database, clock: systemClock, log: silentLog, counters: figures });
  await engine.start();
  t.after(() => engine.stop());
  const clock = await database.read.selectFrom('monitor_clocks').selectAll().executeTakeFirstOrThrow();
  const latest = engine.now();
  for (const at of [clock.settled_at, clock.anchor_at, clock.period_at]) assert.ok(at <= latest);
  assert.ok((clock.due_at ?? 0) <= latest + MINUTE);
  const gaps = await database.read.selectFrom('monitor_gaps').selectAll().execute();
  assert.ok(gaps.every(({ ended_at }) => ended_at <= latest));
});

/** Every story begins at the same instant. */
async function forgetTime(database: DatabaseWithBeatStore): Promise<void> {
  await database.transaction(async (writer) => {
    for (const table of ['monitor_pulse', 'monitor_leases', 'monitor_gaps', 'monitor_clocks'] as const)
      await writer.deleteFrom(table).execute();
  });
}

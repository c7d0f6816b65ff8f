import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/clock';
import fc from 'fast-check';
import { silentLog } from '../core/log.ts';
import { monitorById } from '../store/monitoring/definitions.ts';
import type { Database } from '../store/ports.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { temporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitoringEngine } from './engine.ts';
import { createMonitoringFigures } from './figures.ts';
import { createMonitor } from './monitors.ts';
import { Model, type ModelEvent } from './test/model.ts';
import { addOrg, call, changed, historyOf, MINUTE, monitor, ORG } from './test/monitors.ts';

const RUNS = process.env['FLOE_TEST_FULL'] === undefined ? 15 : 150;
const S = 1_000;

/** What may happen to a process and its clock. Seconds. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('live' as const), for: fc.nat(150) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('ok' as const, 'fail' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('set' as const), by: fc.integer({ min: -3_600, max: 600 }) }),
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
  readonly #database: Database;
  #engine: MonitoringEngine;

  constructor(database: Database) {
    this.#database = database;
    this.#engine = this.#born();
  }

  get engine(): MonitoringEngine {
    return this.#engine;
  }

  async live(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 3) {
      this.clock.advance(Math.min(3, left) * S);
      await this.#engine.lookNow();
    }
  }

  async die(seconds: number): Promise<void> {
    await this.#engine.lookNow();
    this.clock.advance(seconds * S);
    this.#engine = this.#born();
    await this.#engine.start();
  }

  #born(): MonitoringEngine {
    const { clock } = this;
    const still = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: () => ({ cancel: () => undefined }),
    };
    const figures = createMonitoringFigures();
    return new MonitoringEngine({ database: this.#database, clock: still, log: silentLog, figures });
  }
}

/** Tells the story to an engine; gives what was received when. */
async function tell(life: Life, id: string, { steps }: Story): Promise<ModelEvent[]> {
  const received: ModelEvent[] = [];
  const send = async (kind: 'ok' | 'fail' | 'log') => {
    // One event per second, so that there is one order.
    life.clock.advance(S);
    const { receivedAt: _, ...rest } = call(id, 0, { kind });
    const { receivedAt } = await life.engine.beat(rest);
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
  await life.engine.lookNow();
  return received;
}

/** For a monitor a gap begins no earlier than what was last heard from it. */
function gapsFor(
  gaps: readonly { started_at: number; ended_at: number }[],
  received: readonly ModelEvent[],
  from: number,
) {
  return gaps
    .filter(({ ended_at }) => ended_at > from)
    .map(({ started_at, ended_at }) => {
      const within = received.map(({ at }) => at).filter((at) => at < ended_at);
      return {
        startAt: Math.max(started_at, from, ...within.filter((at) => at > started_at)),
        endAt: ended_at,
      };
    });
}

test('sqlite: whatever the clock is set to and whenever the process dies, the history is the model’s (6.12)', async (t) => {
  const counts = { stories: 0, gaps: 0, missed: 0 };
  const path = join(temporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: new FakeClock() });
  t.after(() => database.close());
  await addOrg(database);
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      counts.stories += 1;
      await forgetTime(database);
      const life = new Life(database);
      await life.engine.start();
      const id = `story-${counts.stories}`;
      const { nowMs, gaps } = await life.engine.moment();
      await changed(database, nowMs, gaps, (changing) =>
        createMonitor(
          changing,
          ORG,
          monitor(id, {
            expected_interval_minutes: told.intervalMs / MINUTE,
            grace_period_minutes: told.graceMs / MINUTE,
          }),
        ),
      );
      const received = await tell(life, id, told);
      const row = await monitorById(database.read, ORG, id);
      assert.ok(row);
      const recorded = await historyOf(database, row.uid);
      const stored = await database.read
        .selectFrom('monitor_gaps')
        .selectAll()
        .orderBy('started_at')
        .execute();
      const { intervalMs, graceMs } = told;
      const model = new Model({ every: { intervalMs }, graceMs, alertAfter: 1 }, nowMs);
      const end = received.at(-1)?.at ?? nowMs;
      const expected = model.run(nowMs + S, end, received, gapsFor(stored, received, nowMs));
      assert.deepEqual(recorded, { ...expected, alerts: [...new Set(expected.alerts)] });
      counts.gaps += stored.length;
      counts.missed += recorded.checks.filter((line) => line.startsWith('missed')).length;
    }),
    { numRuns: RUNS, examples: [[SET_FORWARD]] },
  );
  t.diagnostic(`${counts.stories} stories, ${counts.gaps} gaps, ${counts.missed} misses`);
});

/** Every story begins at the same instant. */
async function forgetTime(database: Database): Promise<void> {
  await database.transaction(async (writer) => {
    for (const table of ['monitor_pulse', 'monitor_leases', 'monitor_gaps', 'monitor_clocks'] as const)
      await writer.deleteFrom(table).execute();
  });
}

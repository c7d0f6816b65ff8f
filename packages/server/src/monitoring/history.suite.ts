import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { findMonitorById } from '../store/monitoring/monitors.ts';
import type { DatabaseWithBeatStore } from '../store/open-database.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { commitBeats } from './commit-beats.ts';
import { MonitorStateCache } from './monitor-state-cache.ts';
import { createMonitor, pauseMonitor, replaceMonitor, resumeMonitor } from './monitors.ts';
import { applyBeatsOptimistically } from './optimistic-beats.ts';
import type { BeatEvaluationContext, ReceivedBeat } from './received-beat.ts';
import { sweepDueMonitors } from './sweep.ts';
import {
  MonitorModel,
  type MonitorModelEvent,
  type MonitorModelPlan,
  type MonitorModelSchedule,
} from './test/monitor-model.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  loadRecordedHistory,
  MINUTE,
  MONITOR_TEST_ORG,
  MONITOR_TEST_START,
  runMonitorChange,
} from './test/test-monitors.ts';

const S = 1_000;
const END = MONITOR_TEST_START + 900 * S;

/** Times are whole seconds. Seconds 300 to 700 may be in a gap. */
const instant = fc.integer({ min: 1, max: 899 }).map((second) => MONITOR_TEST_START + second * S);
/** Expressions with their meaning. The last one has a time zone with an offset of half an hour. */
const CRONS: readonly MonitorModelSchedule[] = [
  { cron: '*/30 * * * * *', timezone: 'UTC', fires: (second) => second % 30 === 0 },
  { cron: '20 * * * * *', timezone: 'UTC', fires: (second) => second % 60 === 20 },
  { cron: '0 */2 * * * *', timezone: 'UTC', fires: (second) => second % 120 === 0 },
  {
    cron: '10 31-59/4 * * * *',
    timezone: 'Asia/Kolkata',
    fires: (second) => second % 60 === 10 && second < 1800 && Math.floor(second / 60) % 4 === 1,
  },
];
const every: fc.Arbitrary<MonitorModelSchedule> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(30, 60, 100).map((seconds) => ({ intervalMs: seconds * S })) },
  { weight: 2, arbitrary: fc.constantFrom(...CRONS) },
);
const plan = fc.record({
  schedule: every,
  graceMs: fc.constantFrom(0, 7 * S, 90 * S),
  alertAfter: fc.constantFrom(1, 2, 3),
  failIsMiss: fc.boolean(),
});
const event: fc.Arbitrary<MonitorModelEvent> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ at: instant, kind: fc.constant('ok' as const) }) },
  { weight: 2, arbitrary: fc.record({ at: instant, kind: fc.constantFrom('fail', 'start', 'log') }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ at: instant, for: fc.option(fc.integer({ min: 1, max: 200 })) })
      .map(({ at, for: seconds }) => ({
        at,
        kind: 'pause' as const,
        until: seconds === null ? null : at + seconds * S,
      })),
  },
  { weight: 1, arbitrary: fc.record({ at: instant, kind: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ at: instant, kind: fc.constant('plan' as const), plan }) },
);
const gap = fc
  .record({ from: instant, seconds: fc.integer({ min: 1, max: 150 }), isClockJump: fc.boolean() })
  .map(({ from, seconds, isClockJump }) => ({
    startAt: from,
    endAt: Math.min(END, from + seconds * S),
    isClockJump,
  }));

/** One event per time, so that the order is unique. Gaps are separate, and no event occurs in a gap. */
const story = fc
  .record({
    first: plan,
    events: fc.uniqueArray(event, { maxLength: 25, selector: ({ at }) => at }),
    gaps: fc.array(gap, { maxLength: 5 }),
    sweeps: fc.array(instant, { maxLength: 12 }),
    workers: fc.integer({ min: 1, max: 3 }),
    /** Which transactions fail at their end, as if the process was killed. */
    crashes: fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
    twice: fc.boolean(),
  })
  .map(({ gaps, events, ...rest }) => {
    const apart = gaps
      .toSorted((one, other) => one.startAt - other.startAt)
      .filter((one, at, all) => all.slice(0, at).every((before) => before.endAt < one.startAt));
    const seen = events
      .filter(({ at }) => !apart.some(({ startAt, endAt }) => at >= startAt && at <= endAt))
      .toSorted((one, other) => one.at - other.at);
    // The effect of a gap is written with the next event of the monitor: here, at the end.
    return { ...rest, gaps: apart, events: [...seen, { at: END, kind: 'log' as const }] };
  });

class Crash extends Error {}

/** A database whose transactions sometimes fail before they commit. */
function crashing(database: DatabaseWithBeatStore, dies: () => boolean): DatabaseWithBeatStore {
  const dying =
    <T>(work: (writer: DatabaseWriter) => Promise<T>) =>
    async (writer: DatabaseWriter): Promise<T> => {
      const done = await work(writer);
      if (dies()) throw new Crash('killed before the commit');
      return done;
    };
  return {
    isShared: database.isShared,
    isRemote: database.isRemote,
    signals: database.signals,
    read: database.read,
    transaction: (work) => database.transaction(dying(work)),
    rowTransaction: (work) => database.rowTransaction(dying(work)),
    ping: () => database.ping(),
    ingest: (region) => database.ingest(region),
    async applyBeatsIfUnchanged(beats, rewindCount) {
      if (dies()) throw new Crash('killed before the commit');
      return database.applyBeatsIfUnchanged(beats, rewindCount);
    },
    expireExchanges: (before) => database.expireExchanges(before),
    close: () => database.close(),
  };
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
}

/**
 * Tests that the recorded history equals the model's history, regardless of when sweeps and retries
 * happen.
 */
export function historySuite(
  engine: string,
  open: (t: TestContext) => Promise<DatabaseWithBeatStore>,
  runs: number,
): void {
  test(`${engine}: the recorded history is the model's, in any interleaving of beats, sweeps, changes, crashes and gaps`, async (t) => {
    const database = await open(t);
    await addTestOrg(database);
    let stories = 0;
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        stories += 1;
        const id = `story-${stories}`;
        const crashes = told.crashes[Symbol.iterator]();
        const flaky = crashing(database, () => crashes.next().value === 0);
        const uid = await playStory(flaky, id, told);
        const model = new MonitorModel(told.first, MONITOR_TEST_START);
        const expected = model.run(MONITOR_TEST_START + S, END, told.events, told.gaps);
        const recorded = await loadRecordedHistory(database, uid);
        assert.deepEqual(recorded.checks, expected.checks);
        assert.deepEqual(recorded.periods, expected.periods);
        assert.deepEqual(recorded.alerts, expected.alerts);
      }),
      { numRuns: runs },
    );
    const kinds = await database.read
      .selectFrom('checks')
      .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy('status')
      .orderBy('status')
      .execute();
    t.diagnostic(kinds.map(({ status, count }) => `${count} ${status}`).join(', '));
  });
}

/** Applies a beat as the queue does: optimistically if possible, otherwise with a lock. */
async function applyBeat(
  database: DatabaseWithBeatStore,
  beat: ReceivedBeat,
  context: BeatEvaluationContext,
  states: MonitorStateCache,
): Promise<void> {
  const [kept] = await untilDone(() =>
    applyBeatsOptimistically((beats) => database.applyBeatsIfUnchanged(beats, 0), [beat], context, states),
  );
  if (!kept) await untilDone(() => commitBeats(database, [beat], context, states));
}

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

async function playStory(database: DatabaseWithBeatStore, id: string, told: Story): Promise<string> {
  const { gaps, events, first, workers, twice } = told;
  const states = new MonitorStateCache();
  const known = (at: number) => gaps.filter(({ endAt }) => endAt <= at);
  const context = (at: number) => ({
    nowMs: at,
    gaps: known(at),
    peersCommittedUntil: Number.POSITIVE_INFINITY,
  });
  const {
    row: { uid },
  } = await untilDone(() =>
    runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
      createMonitor(changing, MONITOR_TEST_ORG, definition(id, first)),
    ),
  );
  const look = (at: number) =>
    Promise.all(
      Array.from({ length: workers }, () =>
        untilDone(() =>
          sweepDueMonitors(database, { gaps: known(at), committedUntil: at, nowMs: at }, 1 + (at % 3)),
        ),
      ),
    );
  const sweeps = told.sweeps.filter((at) => !gaps.some(({ startAt, endAt }) => at >= startAt && at < endAt));
  const steps = [...events, ...sweeps.map((at) => ({ at, kind: 'sweep' as const }))];
  for (const step of steps.toSorted((one, other) => one.at - other.at)) {
    const { at } = step;
    const change = (work: Parameters<typeof runMonitorChange>[2]) =>
      untilDone(() => runMonitorChange(database, { nowMs: at, gaps: known(at) }, work));
    switch (step.kind) {
      case 'sweep':
        await look(at);
        break;
      case 'pause':
        await change(async (changing) => pauseMonitor(changing, await row(changing.writer, id), step.until));
        break;
      case 'resume':
        await change(async (changing) =>
          resumeMonitor(changing, await row(changing.writer, id)).catch(ignoreConflict),
        );
        break;
      case 'plan':
        await change(async (changing) => {
          const before = await row(changing.writer, id);
          const { paused, paused_until } = before;
          const next = { ...definition(id, step.plan), paused, paused_until };
          await replaceMonitor(changing, before, next);
        });
        break;
      default: {
        const beat = createTestBeatCall(id, at, {
          kind: step.kind,
          idempotencyKey: twice ? `key ${at}` : null,
        });
        const send = () => applyBeat(database, beat, context(at), states);
        await Promise.all([send(), ...(twice ? [send()] : [])]);
      }
    }
  }
  while ((await look(END)).some(({ evaluated }) => evaluated > 0));
  return uid;
}

function definition(id: string, { schedule, graceMs, alertAfter, failIsMiss = false }: MonitorModelPlan) {
  return createTestMonitorDefinition(id, {
    ...('cron' in schedule
      ? { schedule: { cron: schedule.cron, timezone: schedule.timezone } }
      : { expected_interval_minutes: schedule.intervalMs / MINUTE }),
    grace_period_minutes: graceMs / MINUTE,
    alert_after_misses: alertAfter,
    fail_counts_as_miss: failIsMiss,
  });
}

async function row(writer: DatabaseWriter, id: string) {
  const found = await findMonitorById(writer, MONITOR_TEST_ORG, id);
  assert.ok(found);
  return found;
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Error) || !/not paused/.test(error.message)) throw error;
}

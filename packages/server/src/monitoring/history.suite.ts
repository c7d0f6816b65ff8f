import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { monitorById } from '../store/monitoring/definitions.ts';
import type { Store } from '../store/open-database.ts';
import type { Writer } from '../store/ports.ts';
import type { BeatCall, Sight } from './beat-call.ts';
import { commitBeats } from './beats.ts';
import { KnownClocks } from './known-clocks.ts';
import { createMonitor, pauseMonitor, replaceMonitor, resumeMonitor } from './monitors.ts';
import { keepQuietBeats } from './quiet-beats.ts';
import { sweep } from './sweep.ts';
import { Model, type ModelEvent, type ModelPlan, type ModelSchedule } from './test/model.ts';
import { addOrg, call, changed, historyOf, MINUTE, monitor, ORG, T0 } from './test/monitors.ts';

const S = 1_000;
const END = T0 + 900 * S;

/** Instants are whole seconds; 300 to 700 may lie in a gap. */
const instant = fc.integer({ min: 1, max: 899 }).map((second) => T0 + second * S);
/** Expressions with what they mean; the last one in a zone half an hour off. */
const CRONS: readonly ModelSchedule[] = [
  { cron: '*/30 * * * * *', timezone: 'UTC', fires: (second) => second % 30 === 0 },
  { cron: '20 * * * * *', timezone: 'UTC', fires: (second) => second % 60 === 20 },
  { cron: '0 */2 * * * *', timezone: 'UTC', fires: (second) => second % 120 === 0 },
  {
    cron: '10 31-59/4 * * * *',
    timezone: 'Asia/Kolkata',
    fires: (second) => second % 60 === 10 && second < 1800 && Math.floor(second / 60) % 4 === 1,
  },
];
const every: fc.Arbitrary<ModelSchedule> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(30, 60, 100).map((seconds) => ({ intervalMs: seconds * S })) },
  { weight: 2, arbitrary: fc.constantFrom(...CRONS) },
);
const plan = fc.record({
  every,
  graceMs: fc.constantFrom(0, 7 * S, 90 * S),
  alertAfter: fc.constantFrom(1, 2, 3),
  failIsMiss: fc.boolean(),
});
const event: fc.Arbitrary<ModelEvent> = fc.oneof(
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
  .record({ from: instant, seconds: fc.integer({ min: 1, max: 150 }), isStep: fc.boolean() })
  .map(({ from, seconds, isStep }) => ({ startAt: from, endAt: Math.min(END, from + seconds * S), isStep }));

/** One event per instant, so that there is one order; gaps apart; nothing happens while nobody is there. */
const story = fc
  .record({
    first: plan,
    events: fc.uniqueArray(event, { maxLength: 25, selector: ({ at }) => at }),
    gaps: fc.array(gap, { maxLength: 5 }),
    sweeps: fc.array(instant, { maxLength: 12 }),
    workers: fc.integer({ min: 1, max: 3 }),
    /** Which of the transactions fail at their end, as when the process dies there. */
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
    // What a gap took out is written when something next happens to the monitor: here, at the end.
    return { ...rest, gaps: apart, events: [...seen, { at: END, kind: 'log' as const }] };
  });

class Crash extends Error {}

/** A database whose transactions sometimes die before they commit. */
function crashing(database: Store, dies: () => boolean): Store {
  const dying =
    <T>(work: (writer: Writer) => Promise<T>) =>
    async (writer: Writer): Promise<T> => {
      const done = await work(writer);
      if (dies()) throw new Crash('killed before the commit');
      return done;
    };
  return {
    isShared: database.isShared,
    signals: database.signals,
    read: database.read,
    transaction: (work) => database.transaction(dying(work)),
    rowTransaction: (work) => database.rowTransaction(dying(work)),
    ping: () => database.ping(),
    ingest: (region) => database.ingest(region),
    async keepBeats(beats) {
      if (dies()) throw new Crash('killed before the commit');
      return database.keepBeats(beats);
    },
    expire: (before) => database.expire(before),
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

/** The recorded history equals the model's, whoever swept when and whatever was tried twice. */
export function historySuite(engine: string, open: (t: TestContext) => Promise<Store>, runs: number): void {
  test(`${engine}: the recorded history is the model's, in any interleaving of beats, sweeps, changes, crashes and gaps`, async (t) => {
    const database = await open(t);
    await addOrg(database);
    let stories = 0;
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        stories += 1;
        const id = `story-${stories}`;
        const crashes = told.crashes[Symbol.iterator]();
        const flaky = crashing(database, () => crashes.next().value === 0);
        const uid = await tell(flaky, id, told);
        const model = new Model(told.first, T0);
        const expected = model.run(T0 + S, END, told.events, told.gaps);
        const recorded = await historyOf(database, uid);
        assert.deepEqual(recorded.checks, expected.checks);
        assert.deepEqual(recorded.periods, expected.periods);
        assert.deepEqual(recorded.alerts, [...new Set(expected.alerts)]);
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

/** As the queue does: quietly if that is possible, else under lock. */
async function take(database: Store, beat: BeatCall, sight: Sight, clocks: KnownClocks): Promise<void> {
  const [kept] = await untilDone(() => keepQuietBeats(database, [beat], sight, clocks));
  if (!kept) await untilDone(() => commitBeats(database, [beat], sight, clocks));
}

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

async function tell(database: Store, id: string, told: Story): Promise<string> {
  const { gaps, events, first, workers, twice } = told;
  const clocks = new KnownClocks();
  const known = (at: number) => gaps.filter(({ endAt }) => endAt <= at);
  const sight = (at: number) => ({ nowMs: at, gaps: known(at), othersUntil: Number.POSITIVE_INFINITY });
  const { uid } = await untilDone(() =>
    changed(database, { nowMs: T0 }, (changing) => createMonitor(changing, ORG, definition(id, first))),
  );
  const look = (at: number) =>
    Promise.all(
      Array.from({ length: workers }, () =>
        untilDone(() => sweep(database, { gaps: known(at), settledUntil: at, nowMs: at }, 1 + (at % 3))),
      ),
    );
  const sweeps = told.sweeps.filter((at) => !gaps.some(({ startAt, endAt }) => at >= startAt && at < endAt));
  const steps = [...events, ...sweeps.map((at) => ({ at, kind: 'sweep' as const }))];
  for (const step of steps.toSorted((one, other) => one.at - other.at)) {
    const { at } = step;
    const change = (work: Parameters<typeof changed>[2]) =>
      untilDone(() => changed(database, { nowMs: at, gaps: known(at) }, work));
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
        const beat = call(id, at, { kind: step.kind, idempotencyKey: twice ? `key ${at}` : null });
        const send = () => take(database, beat, sight(at), clocks);
        await Promise.all([send(), ...(twice ? [send()] : [])]);
      }
    }
  }
  while ((await look(END)).some(({ clocks }) => clocks > 0));
  return uid;
}

function definition(id: string, { every, graceMs, alertAfter, failIsMiss = false }: ModelPlan) {
  return monitor(id, {
    ...('cron' in every
      ? { schedule: { cron: every.cron, timezone: every.timezone } }
      : { expected_interval_minutes: every.intervalMs / MINUTE }),
    grace_period_minutes: graceMs / MINUTE,
    alert_after_misses: alertAfter,
    fail_counts_as_miss: failIsMiss,
  });
}

async function row(writer: Writer, id: string) {
  const found = await monitorById(writer, ORG, id);
  assert.ok(found);
  return found;
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Error) || !/not paused/.test(error.message)) throw error;
}

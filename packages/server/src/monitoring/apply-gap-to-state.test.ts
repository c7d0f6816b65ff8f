import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import { appendBeatInterval, computeMedianBeatIntervalMs } from './beat-intervals.ts';
import { evaluateStateUntil } from './evaluate-state-until.ts';
import { parseCron } from './monitor-schedule.ts';
import {
  createMonitorStateEvaluation,
  createMonitorTiming,
  type MonitorHistoryChanges,
  type MonitorState,
  type MonitorTiming,
} from './monitor-state.ts';
import { applyBeatEvent, createMonitorState } from './monitor-state-events.ts';

const RUNS = process.env['FLOE_TEST_FULL'] === undefined ? 400 : 4_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T0 = Date.UTC(2026, 10, 16);

/** A job as it really is: when it beats, whether or not anybody hears it. */
interface Job {
  readonly name: string;
  readonly plan: MonitorTiming;
  /** Between two beats when nothing is late. */
  readonly everyMs: number;
  /** Its n-th beat; `chance` is from 0 to 1. */
  beatAt(n: number, chance: number): number;
}

const rest = { firstBeatDueMs: null, alertAfterMisses: 1, failCountsAsMiss: false };

/** It beats at its interval, or more often, each time up to `late` after its time. */
function everyJob(intervalMs: number, perInterval: number, graceMs: number): Job {
  const everyMs = intervalMs / perInterval;
  const late = Math.min(graceMs, everyMs / 10);
  return {
    name: `every ${intervalMs / MINUTE} min, beating every ${everyMs / MINUTE} min`,
    plan: createMonitorTiming({ kind: 'interval', intervalMs }, { ...rest, graceMs }),
    everyMs,
    beatAt: (n, chance) => T0 + n * everyMs + Math.round(chance * late),
  };
}

/** It beats at the times of a cron expression, from two seconds before to as late as it may. */
function cronJob(cron: string, everyMs: number, graceMs: number): Job {
  const times = parseCron(cron).nextRuns(17, new Date(T0));
  return {
    name: cron,
    plan: createMonitorTiming({ kind: 'cron', cron, timezone: 'UTC' }, { ...rest, graceMs }),
    everyMs,
    beatAt(n, chance) {
      const at = times[n]?.getTime();
      assert.ok(at !== undefined);
      return at + Math.round(chance * (graceMs + 2 * SECOND)) - 2 * SECOND;
    },
  };
}

const job: fc.Arbitrary<Job> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(30 * SECOND, 5 * MINUTE, HOUR, DAY, 7 * DAY),
      fc.constantFrom(1, 1, 2, 3),
      fc.constantFrom(0, 10 * SECOND, 30 * MINUTE),
    )
    .map(([intervalMs, perInterval, graceMs]) => everyJob(intervalMs, perInterval, graceMs)),
  fc
    .tuple(
      fc.constantFrom(
        ['*/5 * * * *', 5 * MINUTE] as const,
        ['0 * * * *', HOUR] as const,
        ['0 3 * * *', DAY] as const,
        ['0 3 * * 1-5', DAY] as const,
      ),
      fc.constantFrom(0, 10 * SECOND, 2 * MINUTE),
    )
    .map(([[cron, everyMs], graceMs]) => cronJob(cron, everyMs, graceMs)),
);

/** When Floe is away, in parts of the job's own rhythm: now and then, or at the same time of each day. */
const outage = fc.record({
  at: fc.double({ min: 2.5, max: 14, noNaN: true }),
  for: fc.oneof(
    { weight: 3, arbitrary: fc.double({ min: 0.0001, max: 0.05, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: 0.05, max: 4, noNaN: true }) },
  ),
});
const daily = fc.option(fc.record({ at: fc.nat(DAY / SECOND - 1), for: fc.constantFrom(5, 60, 600) }), {
  freq: 2,
});
const story = fc.record({
  job,
  outages: fc.array(outage, { maxLength: 4 }),
  daily,
  chances: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  diesAfter: fc.option(fc.integer({ min: 3, max: 12 }), { freq: 1 }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Outages in whole seconds, in order and apart, none before the job's third beat. */
function gapsOf({ job, outages, daily }: Story, until: number): MonitoringGap[] {
  const first = job.beatAt(2, 1) + SECOND;
  const whole = (ms: number) => Math.round(ms / SECOND) * SECOND;
  const gaps = outages.map(({ at, for: lasting }) => {
    const startAt = first + whole(at * job.everyMs - 2.5 * job.everyMs);
    return { startAt, endAt: startAt + Math.max(5 * SECOND, whole(lasting * job.everyMs)) };
  });
  if (daily)
    for (let at = T0 + daily.at * SECOND; at < until; at += DAY)
      gaps.push({ startAt: at, endAt: at + daily.for * SECOND });
  const apart: MonitoringGap[] = [];
  for (const gap of gaps.toSorted((one, other) => one.startAt - other.startAt))
    if (gap.startAt > Math.max(first, apart.at(-1)?.endAt ?? 0)) apart.push(gap);
  return apart;
}

interface Lived {
  readonly out: MonitorHistoryChanges;
  readonly state: MonitorState;
  readonly gaps: readonly MonitoringGap[];
  /** Beats that were received, oldest first. */
  readonly heard: readonly number[];
  /** Beats nobody was there to receive. */
  readonly lost: readonly number[];
  readonly until: number;
}

/** What Floe makes of it: beats are received unless it was away. */
function live(told: Story): Lived {
  const { job, diesAfter, chances } = told;
  const { plan } = job;
  const chance = chances[Symbol.iterator]();
  const beats: number[] = [];
  for (let n = 0; n < (diesAfter ?? 16); n++) beats.push(job.beatAt(n, chance.next().value ?? 0));
  const last = beats.at(-1) ?? T0;
  const gaps = gapsOf(told, last + 4 * job.everyMs + 8 * DAY);
  const end = diesAfter === null ? last : last + 20 * job.everyMs + DAY;
  const until = gaps.find(({ startAt, endAt }) => startAt <= end && end < endAt)?.endAt ?? end;
  const away = (at: number) => gaps.some(({ startAt, endAt }) => startAt < at && at < endAt);
  const out = createMonitorStateEvaluation(plan);
  let state = createMonitorState(createMonitorStateEvaluation(plan), T0 - SECOND, null);
  const known = (at: number) => gaps.filter(({ endAt }) => endAt <= at);
  for (const at of beats)
    if (!away(at))
      state = applyBeatEvent(state, { ...out, gaps: known(at) }, { kind: 'ok', at, runId: null }).state;
  state = evaluateStateUntil(state, { ...out, gaps: known(until) }, until);
  const lost = beats.filter(away);
  return { out, state, gaps, heard: beats.filter((at) => !away(at)), lost, until };
}

const failings = ({ out }: Lived) => out.alertTriggers.filter(({ event }) => event === 'failing');

test("Floe's restarts make no job with beats failing, unless two restarts hide its beats", () => {
  fc.assert(
    fc.property(story, (told) => {
      const lived = live({ ...told, diesAfter: null });
      for (const { at } of failings(lived)) {
        const before = lived.heard.findLast((heard) => heard <= at) ?? 0;
        const swallowed = lived.lost.filter((lost) => lost > before && lost <= at);
        const by = new Set(
          swallowed.map((lost) =>
            lived.gaps.findIndex(({ startAt, endAt }) => startAt < lost && lost < endAt),
          ),
        );
        assert.ok(by.size >= 2, `${told.job.name}: failing at ${new Date(at).toISOString()}`);
      }
    }),
    { numRuns: RUNS },
  );
});

test('a job that stopped is detected at its deadline, or one window after the gap that could have hidden its beat', () => {
  const found = { atDeadline: 0, afterGap: 0 };
  fc.assert(
    fc.property(story, fc.integer({ min: 3, max: 12 }), (told, diesAfter) => {
      const lived = live({ ...told, diesAfter });
      const { plan, name, everyMs } = told.job;
      const last = lived.heard.at(-1) ?? 0;
      const failing = failings(lived).findLast(({ at }) => at > last);
      assert.ok(failing, `${name}: nobody heard that it is dead`);
      const promised = plan.occurrences.afterBeat(last) ?? 0;
      const deadline = promised + plan.graceMs;
      const early = plan.schedule.kind === 'cron' ? 5 * SECOND : 0;
      const hiding = lived.gaps.filter(({ startAt, endAt }) => endAt > last && startAt <= deadline);
      const arrives = Math.min(last + 0.66 * everyMs, promised - early);
      if (!hiding.some(({ endAt }) => endAt > arrives)) {
        found.atDeadline += 1;
        assert.equal(failing.at, deadline, `${name}: a gap that hid nothing moved the deadline`);
        return;
      }
      found.afterGap += 1;
      const latest = Math.max(
        deadline,
        ...hiding.map(({ endAt }) => (plan.occurrences.afterBeat(endAt) ?? 0) + plan.graceMs),
      );
      // Floe may be away at that deadline: then it finds out when it is back.
      const during = lived.gaps.filter(({ startAt }) => startAt > deadline && startAt <= failing.at);
      const away = during.reduce((sum, { startAt, endAt }) => sum + endAt - startAt, 0);
      assert.ok(failing.at <= latest + away, `${name}: ${failing.at - latest - away} ms later than that`);
    }),
    { numRuns: RUNS },
  );
  assert.ok(found.atDeadline > RUNS / 20 && found.afterGap > RUNS / 20, JSON.stringify(found));
});

test('a restart of ten seconds extends the deadline of a daily job only while its beat could arrive', () => {
  const { plan } = everyJob(DAY, 1, HOUR);
  const start = createMonitorState(createMonitorStateEvaluation(plan), T0 - 1, null);
  const { state } = applyBeatEvent(start, createMonitorStateEvaluation(plan), {
    kind: 'ok',
    at: T0,
    runId: null,
  });
  const dueAfter = (startAt: number, endAt: number) =>
    (evaluateStateUntil(state, createMonitorStateEvaluation(plan, [{ startAt, endAt }]), endAt).dueAt ?? 0) -
    T0;
  assert.equal(dueAfter(T0 + HOUR, T0 + HOUR + 10_000), DAY + HOUR);
  assert.equal(
    dueAfter(T0 + 17 * HOUR, T0 + 18 * HOUR),
    DAY + HOUR,
    'it ends when beats may begin to arrive',
  );
  assert.equal(dueAfter(T0 + 18 * HOUR, T0 + 18 * HOUR + 10_000), 18 * HOUR + 10_000 + DAY + HOUR);
  assert.equal(dueAfter(T0 + 25 * HOUR, T0 + 25 * HOUR + 10_000), 25 * HOUR + 10_000 + DAY + HOUR);
});

test('of several restarts in one interval, the window begins at the last one; a later restart changes nothing', () => {
  const { plan } = everyJob(HOUR, 1, 5 * MINUTE);
  const start = createMonitorState(createMonitorStateEvaluation(plan), T0 - 1, null);
  const { state } = applyBeatEvent(start, createMonitorStateEvaluation(plan), {
    kind: 'ok',
    at: T0,
    runId: null,
  });
  const restart = (minute: number) => ({
    startAt: T0 + minute * MINUTE,
    endAt: T0 + (minute + 1) * MINUTE,
  });
  // The first one hid nothing, the second one the beat; the next beat comes after two hours.
  const both = evaluateStateUntil(
    state,
    createMonitorStateEvaluation(plan, [restart(46), restart(59.5)]),
    T0 + 62 * MINUTE,
  );
  assert.equal(both.dueAt, T0 + (60.5 + 65) * MINUTE);
  const third = evaluateStateUntil(
    both,
    createMonitorStateEvaluation(plan, [restart(119.5)]),
    T0 + 121 * MINUTE,
  );
  assert.equal(third.dueAt, both.dueAt);
});

test('an early cron beat during a restart is not expected again', () => {
  const { plan } = cronJob('0 3 * * *', DAY, MINUTE);
  const three = T0 + 3 * HOUR;
  const start = createMonitorState(createMonitorStateEvaluation(plan), T0, null);
  const { state } = applyBeatEvent(start, createMonitorStateEvaluation(plan), {
    kind: 'ok',
    at: three,
    runId: null,
  });
  const gap = { startAt: three + DAY - MINUTE, endAt: three + DAY - SECOND };
  assert.equal(
    evaluateStateUntil(state, createMonitorStateEvaluation(plan, [gap]), gap.endAt).expectedAt,
    three + 2 * DAY,
  );
});

test('the actual beat interval determines when the next beat could arrive', () => {
  const { plan } = everyJob(DAY, 1, HOUR);
  let state = createMonitorState(createMonitorStateEvaluation(plan), T0 - 1, null);
  for (let n = 0; n < 30; n++)
    state = applyBeatEvent(state, createMonitorStateEvaluation(plan), {
      kind: 'ok',
      at: T0 + n * HOUR,
      runId: null,
    }).state;
  const last = T0 + 29 * HOUR;
  const gap = { startAt: last + 50 * MINUTE, endAt: last + 51 * MINUTE };
  assert.equal(
    evaluateStateUntil(state, createMonitorStateEvaluation(plan, [gap]), gap.endAt).dueAt,
    gap.endAt + DAY + HOUR,
  );
});

test('the median is that of the last 20 intervals', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 45 }), (all) => {
      const kept = all.reduce(appendBeatInterval, '');
      const sorted = all.slice(-20).toSorted((one, other) => one - other);
      const [low = 0, high = 0] = [
        sorted[Math.ceil(sorted.length / 2) - 1],
        sorted[Math.floor(sorted.length / 2)],
      ];
      assert.equal(computeMedianBeatIntervalMs(kept), (low + high) / 2);
    }),
  );
});

test('a silent job is detected, however often Floe restarts at the time of its beat', () => {
  for (const alertAfterMisses of [1, 2, 3])
    for (const [schedule, graceMs] of [
      [{ kind: 'interval', intervalMs: DAY }, 0],
      [{ kind: 'interval', intervalMs: DAY }, 5 * MINUTE],
      [{ kind: 'cron', cron: '0 0 * * *', timezone: 'UTC' }, 5 * MINUTE],
    ] as const) {
      const plan = createMonitorTiming(schedule, { ...rest, graceMs, alertAfterMisses });
      const start = createMonitorState(createMonitorStateEvaluation(plan), T0 - 1, null);
      const { state } = applyBeatEvent(start, createMonitorStateEvaluation(plan), {
        kind: 'ok',
        at: T0,
        runId: null,
      });
      const gaps = Array.from({ length: 12 }, (_, day) => ({
        startAt: T0 + (day + 1) * DAY - MINUTE,
        endAt: T0 + (day + 1) * DAY + 10 * MINUTE,
      }));
      const out = createMonitorStateEvaluation(plan);
      evaluateStateUntil(state, { ...out, gaps }, T0 + 12 * DAY);
      const told = out.alertTriggers.find(({ event }) => event === 'failing');
      const name = `${JSON.stringify(schedule)} ${graceMs} ${alertAfterMisses}`;
      assert.ok(told && told.at <= T0 + (alertAfterMisses + 1) * DAY + HOUR, name);
    }
});

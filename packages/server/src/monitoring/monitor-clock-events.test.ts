import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateClockUntil, MAX_MISSES_PER_CATCH_UP } from './evaluate-clock-until.ts';
import {
  type ClockEvaluation,
  createClockEvaluation,
  createMonitorPlan,
  type MonitorClock,
  type MonitorHistoryChanges,
  type MonitorPlan,
} from './monitor-clock.ts';
import {
  applyBeatEvent,
  changeMonitorPlan,
  createMonitorClock,
  pauseMonitorClock,
  resumeMonitorClock,
} from './monitor-clock-events.ts';
import type { MonitorSchedule } from './monitor-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const every = (intervalMs: number): MonitorSchedule => ({ kind: 'interval', intervalMs });

function plan(schedule: MonitorSchedule, graceMs = 0, more: Partial<MonitorPlan> = {}): MonitorPlan {
  const { firstBeatDueMs = null, alertAfterMisses = 1, failCountsAsMiss = false } = more;
  return createMonitorPlan(schedule, { graceMs, firstBeatDueMs, alertAfterMisses, failCountsAsMiss });
}

/** A monitor that beat at `at`. */
function beaten(of: MonitorPlan, at: number): MonitorClock {
  return ok(createMonitorClock(createClockEvaluation(of), at - 1, null), createClockEvaluation(of), at);
}

function ok(clock: MonitorClock, evaluation: ClockEvaluation, at: number): MonitorClock {
  return applyBeatEvent(clock, evaluation, { kind: 'ok', at, runId: null }).clock;
}

function missedAt({ inferredChecks }: MonitorHistoryChanges): number[] {
  return inferredChecks.filter(({ status }) => status === 'missed').map(({ expectedAt }) => expectedAt);
}

test('at the deadline a beat is on time; a millisecond later it is late', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const clock = beaten(of, 0);
  const deadline = HOUR + 5 * MINUTE;
  for (const [at, missed] of [
    [deadline - 1, 0],
    [deadline, 0],
    [deadline + 1, 1],
  ] as const) {
    const out = createClockEvaluation(of);
    assert.equal(ok(clock, out, at).status, 'healthy');
    assert.equal(out.inferredChecks.length, missed, `beat at ${at - deadline} ms after the deadline`);
    const swept = createClockEvaluation(of);
    assert.equal(evaluateClockUntil(clock, swept, at).status, missed === 0 ? 'healthy' : 'failing');
  }
});

test('the failing period starts at the deadline, whenever somebody looks', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const out = createClockEvaluation(of);
  const clock = evaluateClockUntil(beaten(of, 0), out, 10 * HOUR);
  assert.deepEqual(out.periods, [{ status: 'failing', startedAt: HOUR + 5 * MINUTE, reason: 'missed' }]);
  assert.deepEqual(
    missedAt(out),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((hour) => hour * HOUR),
  );
  assert.deepEqual(clock.failingSince, HOUR + 5 * MINUTE);
});

test('ten hours that no sweep looked at leave the same history when the late beat comes', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const swept = createClockEvaluation(of);
  let clock = beaten(of, 0);
  for (let at = MINUTE; at < 10 * HOUR; at += 7 * MINUTE) clock = evaluateClockUntil(clock, swept, at);
  ok(clock, swept, 10 * HOUR);
  const late = createClockEvaluation(of);
  ok(beaten(of, 0), late, 10 * HOUR);
  assert.deepEqual(late, swept);
});

test('a grace longer than the interval makes no extra misses', () => {
  const of = plan(every(MINUTE), 10 * MINUTE);
  const out = createClockEvaluation(of);
  ok(beaten(of, 0), out, 11 * MINUTE);
  assert.deepEqual(missedAt(out), []);
  ok(beaten(of, 0), out, 12 * MINUTE + 1);
  assert.deepEqual(missedAt(out), [MINUTE, 2 * MINUTE]);
});

test('a monitor that never beat is reported once, and stays waiting', () => {
  for (const [firstBeatDueMs, due] of [
    [null, HOUR + 5 * MINUTE],
    [10 * MINUTE, 10 * MINUTE],
  ] as const) {
    const of = plan(every(HOUR), 5 * MINUTE, { firstBeatDueMs });
    const out = createClockEvaluation(of);
    const clock = evaluateClockUntil(createMonitorClock(createClockEvaluation(of), 0, null), out, DAY);
    assert.equal(clock.status, 'waiting');
    const { inferredChecks, periods, alertTriggers } = out;
    assert.deepEqual(
      { verdicts: inferredChecks, periods, notices: alertTriggers },
      { verdicts: [], periods: [], notices: [{ event: 'never_beaten', at: due, since: 0 }] },
    );
  }
});

test('nobody is told before as many misses in a row as the monitor wants', () => {
  const of = plan(every(HOUR), 0, { alertAfterMisses: 3 });
  const out = createClockEvaluation(of);
  let clock = evaluateClockUntil(beaten(of, 0), out, 2 * HOUR + 1);
  assert.deepEqual(out.alertTriggers, []);
  clock = evaluateClockUntil(clock, out, 3 * HOUR + 1);
  assert.deepEqual(out.alertTriggers, [{ event: 'failing', at: 3 * HOUR, since: HOUR, reason: 'missed' }]);
  ok(clock, out, 3 * HOUR + MINUTE);
  assert.deepEqual(out.alertTriggers[1], {
    event: 'recovered',
    at: 3 * HOUR + MINUTE,
    since: HOUR,
    by: 'beat',
  });
  const short = createClockEvaluation(of);
  ok(evaluateClockUntil(beaten(of, 0), short, HOUR + 1), short, HOUR + 2);
  assert.deepEqual(short.alertTriggers, [], 'what nobody heard of needs no end');
});

test('a beat that is older than the newest one moves nothing back', () => {
  const of = plan(every(HOUR));
  const clock = ok(beaten(of, 0), createClockEvaluation(of), 30 * MINUTE);
  const out = createClockEvaluation(of);
  assert.deepEqual(ok(clock, out, 20 * MINUTE), clock);
  assert.deepEqual(out, createClockEvaluation(of));
});

test('a job that says it failed is failing at once, and was heard', () => {
  const of = plan(every(HOUR));
  const out = createClockEvaluation(of);
  const failed = applyBeatEvent(beaten(of, 0), out, { kind: 'fail', at: MINUTE, runId: null }).clock;
  assert.deepEqual(out.periods, [{ status: 'failing', startedAt: MINUTE, reason: 'failed' }]);
  assert.equal(failed.lastBeatAt, MINUTE);
  assert.equal(failed.expectedAt, HOUR + MINUTE);
  assert.equal(ok(failed, out, 2 * MINUTE).status, 'healthy');
});

test('start and log keep no promise; a run is measured from its start to its end', () => {
  const of = plan(every(HOUR));
  const call = (
    clock: MonitorClock,
    kind: 'ok' | 'fail' | 'start' | 'log',
    at: number,
    runId: string | null,
  ) => applyBeatEvent(clock, createClockEvaluation(of), { kind, at, runId });
  const started = call(beaten(of, 0), 'start', MINUTE, 'a').clock;
  assert.equal(started.dueAt, HOUR);
  assert.equal(call(started, 'log', 2 * MINUTE, 'a').clock.runStartedAt, MINUTE);
  assert.equal(call(started, 'ok', 3 * MINUTE, 'a').durationMs, 2 * MINUTE);
  const other = call(started, 'ok', 3 * MINUTE, 'b');
  assert.deepEqual(
    [other.durationMs, other.clock.runStartedAt],
    [null, MINUTE],
    'another run leaves it open',
  );
  assert.equal(call(started, 'fail', 3 * MINUTE, 'b').clock.runStartedAt, null, 'a failure closes any run');
  assert.equal(
    call(started, 'ok', MINUTE + 73 * HOUR, 'a').durationMs,
    null,
    'an end days later is of another run',
  );
});

test('a pause judges nothing and is not ended by a beat; what follows it is a fresh window', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const out = createClockEvaluation(of);
  const paused = pauseMonitorClock(beaten(of, 0), 30 * MINUTE, null, out);
  const later = ok(evaluateClockUntil(paused, out, DAY), out, DAY);
  assert.equal(later.status, 'paused');
  assert.deepEqual(out.inferredChecks, []);
  const resumed = resumeMonitorClock(later, out, 2 * DAY);
  assert.deepEqual([resumed.status, resumed.dueAt], ['waiting', 2 * DAY + HOUR + 5 * MINUTE]);
  assert.equal(evaluateClockUntil(resumed, out, 3 * DAY).status, 'failing');
  const until = pauseMonitorClock(beaten(of, 0), MINUTE, 10 * HOUR, createClockEvaluation(of));
  assert.equal(evaluateClockUntil(until, createClockEvaluation(of), 10 * HOUR).periodStartedAt, 10 * HOUR);
});

test('a pause of a failing monitor ends what was told of it, and says that it was a pause', () => {
  const of = plan(every(HOUR));
  const failing = evaluateClockUntil(beaten(of, 0), createClockEvaluation(of), 2 * HOUR);
  const out = createClockEvaluation(of);
  const paused = pauseMonitorClock(failing, 2 * HOUR, null, out);
  assert.deepEqual(out.alertTriggers, [{ event: 'recovered', at: 2 * HOUR, since: HOUR, by: 'pause' }]);
  const later = createClockEvaluation(of);
  ok(resumeMonitorClock(paused, later, 3 * HOUR), later, 3 * HOUR + 1);
  assert.deepEqual(later.alertTriggers, []);
});

test('a shorter schedule fails nobody for what it did not promise before', () => {
  const daily = plan(every(DAY), HOUR);
  const hourly = plan(every(HOUR), 5 * MINUTE);
  const at = 20 * HOUR;
  const clock = changeMonitorPlan(
    evaluateClockUntil(beaten(daily, 0), createClockEvaluation(daily), at),
    daily,
    hourly,
    at,
  );
  assert.equal(clock.status, 'healthy');
  assert.equal(clock.dueAt, at + 5 * MINUTE);
  const out = createClockEvaluation(hourly);
  evaluateClockUntil(clock, out, at + HOUR + 5 * MINUTE + 1);
  assert.deepEqual(missedAt(out), [at, at + HOUR]);
});

test('a longer schedule does not make a failing monitor well; a beat does', () => {
  const hourly = plan(every(HOUR));
  const daily = plan(every(DAY));
  const failing = evaluateClockUntil(beaten(hourly, 0), createClockEvaluation(hourly), 3 * HOUR);
  const changed = changeMonitorPlan(failing, hourly, daily, 3 * HOUR);
  assert.deepEqual([changed.status, changed.expectedAt], ['failing', DAY]);
  assert.equal(ok(changed, createClockEvaluation(daily), 4 * HOUR).status, 'healthy');
});

test('times of a cron expression follow the zone through the changes of its clock', () => {
  const of = plan({ kind: 'cron', cron: '30 3 * * *', timezone: 'Europe/Riga' }, HOUR);
  const next = (text: string) => new Date(of.occurrences.after(Date.parse(text)) ?? 0).toISOString();
  assert.equal(next('2023-03-25T12:00:00Z').slice(0, 13), '2023-03-26T01', 'right after the jump forward');
  assert.equal(next('2023-10-28T12:00:00Z').slice(0, 10), '2023-10-29');
  const first = Date.parse(next('2023-10-28T12:00:00Z'));
  assert.equal(new Date(of.occurrences.after(first) ?? 0).toISOString(), '2023-10-30T01:30:00.000Z', 'once');
  const hourly = plan({ kind: 'cron', cron: '0 * * * *', timezone: 'Europe/Riga' });
  let clock = beaten(hourly, Date.parse('2023-10-28T12:00:00Z'));
  const out = createClockEvaluation(of);
  for (let hour = 1; hour <= 24; hour++)
    clock = ok(clock, out, Date.parse('2023-10-28T12:00:00Z') + hour * HOUR);
  assert.deepEqual(out.inferredChecks, [], 'an hour that comes twice is no miss');
});

test('a cron job whose clock is a little ahead keeps the promise of its hour', () => {
  const of = plan({ kind: 'cron', cron: '0 3 * * *', timezone: 'UTC' }, 10 * MINUTE);
  const three = Date.parse('2026-01-02T03:00:00Z');
  assert.equal(beaten(of, three - 2_000).expectedAt, three + DAY);
  assert.equal(beaten(of, three - MINUTE).expectedAt, three);
});

test('a schedule that comes to its end promises nothing any more', () => {
  const of = plan({ kind: 'cron', cron: '0 0 30 2 *', timezone: 'UTC' });
  const clock = beaten(of, 0);
  assert.deepEqual([clock.status, clock.dueAt], ['healthy', null]);
  assert.equal(evaluateClockUntil(clock, createClockEvaluation(of), 1000 * DAY).status, 'healthy');
});

test('intervals longer than a timer can wait are judged like the others', () => {
  const of = plan(every(366 * DAY));
  const out = createClockEvaluation(of);
  evaluateClockUntil(beaten(of, 0), out, 366 * DAY + 1);
  assert.deepEqual(missedAt(out), [366 * DAY]);
});

test('a catch-up that is too long to be written out says how much it stands for', () => {
  const of = plan(every(MINUTE));
  const out = createClockEvaluation(of);
  const clock = evaluateClockUntil(beaten(of, 0), out, 5_000 * MINUTE + 1);
  assert.equal(out.inferredChecks.length, MAX_MISSES_PER_CATCH_UP + 1);
  assert.equal(
    out.inferredChecks.reduce((sum, { missedCount }) => sum + missedCount, 0),
    5_000,
  );
  assert.equal(clock.expectedAt, 5_001 * MINUTE);
});

test('what was due before we were gone is a miss, what was due then is not', () => {
  const of = plan(every(HOUR), 10 * MINUTE);
  const gap = { startAt: 2 * HOUR, endAt: 4 * HOUR };
  const dead = createClockEvaluation(of);
  const failing = evaluateClockUntil(beaten(of, 0), { ...dead, gaps: [gap] }, 6 * HOUR);
  assert.deepEqual(dead.periods, [{ status: 'failing', startedAt: HOUR + 10 * MINUTE, reason: 'missed' }]);
  assert.deepEqual(missedAt(dead), [HOUR, 5 * HOUR], 'no rows for the promises in the gap');
  assert.equal(failing.failingSince, HOUR + 10 * MINUTE);
  const alive = createClockEvaluation(of);
  const clock = evaluateClockUntil(beaten(of, 90 * MINUTE), { ...alive, gaps: [gap] }, 4 * HOUR);
  assert.equal(clock.dueAt, 4 * HOUR + HOUR + 10 * MINUTE);
  assert.deepEqual(alive.inferredChecks, [
    { status: 'unknown', expectedAt: 150 * MINUTE, at: 4 * HOUR, missedCount: 1 },
  ]);
});

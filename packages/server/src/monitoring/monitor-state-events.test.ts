import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateStateUntil, MAX_MISSED_CHECKS_PER_EVALUATION } from './evaluate-state-until.ts';
import type { MonitorSchedule } from './monitor-schedule.ts';
import {
  createMonitorStateEvaluation,
  createMonitorTiming,
  type MonitorHistoryChanges,
  type MonitorState,
  type MonitorStateEvaluation,
  type MonitorTiming,
} from './monitor-state.ts';
import {
  applyBeatEvent,
  changeMonitorTiming,
  createMonitorState,
  pauseMonitorState,
  resumeMonitorState,
} from './monitor-state-events.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const every = (intervalMs: number): MonitorSchedule => ({ kind: 'interval', intervalMs });

function plan(schedule: MonitorSchedule, graceMs = 0, more: Partial<MonitorTiming> = {}): MonitorTiming {
  const { firstBeatDueMs = null, alertAfterMisses = 1, failCountsAsMiss = false } = more;
  return createMonitorTiming(schedule, { graceMs, firstBeatDueMs, alertAfterMisses, failCountsAsMiss });
}

/** A monitor that beat at `at`. */
function beaten(of: MonitorTiming, at: number): MonitorState {
  return ok(
    createMonitorState(createMonitorStateEvaluation(of), at - 1, null),
    createMonitorStateEvaluation(of),
    at,
  );
}

function ok(state: MonitorState, evaluation: MonitorStateEvaluation, at: number): MonitorState {
  return applyBeatEvent(state, evaluation, { kind: 'ok', at, runId: null }).state;
}

function missedAt({ inferredChecks }: MonitorHistoryChanges): number[] {
  return inferredChecks.filter(({ status }) => status === 'missed').map(({ expectedAt }) => expectedAt);
}

test('at the deadline a beat is on time, and a millisecond later it is late', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const state = beaten(of, 0);
  const deadline = HOUR + 5 * MINUTE;
  for (const [at, missed] of [
    [deadline - 1, 0],
    [deadline, 0],
    [deadline + 1, 1],
  ] as const) {
    const out = createMonitorStateEvaluation(of);
    assert.equal(ok(state, out, at).status, 'healthy');
    assert.equal(out.inferredChecks.length, missed, `beat at ${at - deadline} ms after the deadline`);
    const swept = createMonitorStateEvaluation(of);
    assert.equal(evaluateStateUntil(state, swept, at).status, missed === 0 ? 'healthy' : 'failing');
  }
});

test('a late beat belongs to the time that was next when it arrived, whenever the misses are evaluated', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const at = 3 * HOUR + 30 * MINUTE;
  for (const sweptAt of [[], [2 * HOUR], [2 * HOUR, at]]) {
    const swept = sweptAt.reduce(
      (state, until) => evaluateStateUntil(state, createMonitorStateEvaluation(of), until),
      beaten(of, 0),
    );
    for (const kind of ['ok', 'fail', 'start', 'log'] as const) {
      const { expectedAt } = applyBeatEvent(swept, createMonitorStateEvaluation(of), {
        kind,
        at,
        runId: null,
      });
      assert.equal(expectedAt, 4 * HOUR);
    }
  }
});

test('the failing period starts at the deadline, whenever it is evaluated', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const out = createMonitorStateEvaluation(of);
  const state = evaluateStateUntil(beaten(of, 0), out, 10 * HOUR);
  assert.deepEqual(out.periods, [{ status: 'failing', startedAt: HOUR + 5 * MINUTE, reason: 'missed' }]);
  assert.deepEqual(
    missedAt(out),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((hour) => hour * HOUR),
  );
  assert.deepEqual(state.failingSince, HOUR + 5 * MINUTE);
});

test('ten hours without a sweep result in the same history when the late beat arrives', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const swept = createMonitorStateEvaluation(of);
  let state = beaten(of, 0);
  for (let at = MINUTE; at < 10 * HOUR; at += 7 * MINUTE) state = evaluateStateUntil(state, swept, at);
  ok(state, swept, 10 * HOUR);
  const late = createMonitorStateEvaluation(of);
  ok(beaten(of, 0), late, 10 * HOUR);
  assert.deepEqual(late, swept);
});

test('a grace period longer than the interval causes no additional misses', () => {
  const of = plan(every(MINUTE), 10 * MINUTE);
  const out = createMonitorStateEvaluation(of);
  ok(beaten(of, 0), out, 11 * MINUTE);
  assert.deepEqual(missedAt(out), []);
  ok(beaten(of, 0), out, 12 * MINUTE + 1);
  assert.deepEqual(missedAt(out), [MINUTE, 2 * MINUTE]);
});

test('a monitor that never sent a beat is reported once, and remains waiting', () => {
  for (const [firstBeatDueMs, due] of [
    [null, HOUR + 5 * MINUTE],
    [10 * MINUTE, 10 * MINUTE],
  ] as const) {
    const of = plan(every(HOUR), 5 * MINUTE, { firstBeatDueMs });
    const out = createMonitorStateEvaluation(of);
    const state = evaluateStateUntil(createMonitorState(createMonitorStateEvaluation(of), 0, null), out, DAY);
    assert.equal(state.status, 'waiting');
    const { inferredChecks, periods, alertTriggers } = out;
    assert.deepEqual(
      { verdicts: inferredChecks, periods, notices: alertTriggers },
      { verdicts: [], periods: [], notices: [{ event: 'never_beaten', at: due, since: 0 }] },
    );
  }
});

test('no alert is sent before the configured number of consecutive misses', () => {
  const of = plan(every(HOUR), 0, { alertAfterMisses: 3 });
  const out = createMonitorStateEvaluation(of);
  let state = evaluateStateUntil(beaten(of, 0), out, 2 * HOUR + 1);
  assert.deepEqual(out.alertTriggers, []);
  state = evaluateStateUntil(state, out, 3 * HOUR + 1);
  assert.deepEqual(out.alertTriggers, [
    { event: 'failing', at: 3 * HOUR, since: HOUR, reason: 'missed', lastBeatAt: 0 },
  ]);
  ok(state, out, 3 * HOUR + MINUTE);
  assert.deepEqual(out.alertTriggers[1], {
    event: 'recovered',
    at: 3 * HOUR + MINUTE,
    since: HOUR,
    by: 'beat',
  });
  const short = createMonitorStateEvaluation(of);
  ok(evaluateStateUntil(beaten(of, 0), short, HOUR + 1), short, HOUR + 2);
  assert.deepEqual(short.alertTriggers, [], 'what nobody heard of needs no end');
});

test('a beat older than the newest one changes no time', () => {
  const of = plan(every(HOUR));
  const state = ok(beaten(of, 0), createMonitorStateEvaluation(of), 30 * MINUTE);
  const out = createMonitorStateEvaluation(of);
  assert.deepEqual(ok(state, out, 20 * MINUTE), state);
  assert.deepEqual(out, createMonitorStateEvaluation(of));
});

test('a job that reports a failure is failing immediately', () => {
  const of = plan(every(HOUR));
  const out = createMonitorStateEvaluation(of);
  const failed = applyBeatEvent(beaten(of, 0), out, { kind: 'fail', at: MINUTE, runId: null }).state;
  assert.deepEqual(out.periods, [{ status: 'failing', startedAt: MINUTE, reason: 'failed' }]);
  assert.equal(failed.lastBeatAt, MINUTE);
  assert.equal(failed.expectedAt, HOUR + MINUTE);
  assert.equal(ok(failed, out, 2 * MINUTE).status, 'healthy');
});

test('start and log are not expected beats, and a run is measured from its start to its end', () => {
  const of = plan(every(HOUR));
  const call = (
    state: MonitorState,
    kind: 'ok' | 'fail' | 'start' | 'log',
    at: number,
    runId: string | null,
  ) => applyBeatEvent(state, createMonitorStateEvaluation(of), { kind, at, runId });
  const started = call(beaten(of, 0), 'start', MINUTE, 'a').state;
  assert.equal(started.dueAt, HOUR);
  assert.equal(call(started, 'log', 2 * MINUTE, 'a').state.runStartedAt, MINUTE);
  assert.equal(call(started, 'ok', 3 * MINUTE, 'a').durationMs, 2 * MINUTE);
  const other = call(started, 'ok', 3 * MINUTE, 'b');
  assert.deepEqual(
    [other.durationMs, other.state.runStartedAt],
    [null, MINUTE],
    'another run leaves it open',
  );
  const two = call(started, 'start', 2 * MINUTE, 'b').state;
  const [first, last] = [call(two, 'ok', 3 * MINUTE, 'a'), call(two, 'ok', 3 * MINUTE, 'b')];
  assert.deepEqual([first.durationMs, last.durationMs], [null, MINUTE], 'only the run that started last');
  assert.equal(call(started, 'fail', 3 * MINUTE, 'b').state.runStartedAt, null, 'a failure closes any run');
  assert.equal(
    call(started, 'ok', MINUTE + 73 * HOUR, 'a').durationMs,
    null,
    'an end days later is of another run',
  );
});

test('a pause causes no misses and is not ended by a beat, and a full interval follows it', () => {
  const of = plan(every(HOUR), 5 * MINUTE);
  const out = createMonitorStateEvaluation(of);
  const paused = pauseMonitorState(beaten(of, 0), 30 * MINUTE, null, out);
  const later = ok(evaluateStateUntil(paused, out, DAY), out, DAY);
  assert.equal(later.status, 'paused');
  assert.deepEqual(out.inferredChecks, []);
  const resumed = resumeMonitorState(later, out, 2 * DAY);
  assert.deepEqual([resumed.status, resumed.dueAt], ['waiting', 2 * DAY + HOUR + 5 * MINUTE]);
  assert.equal(evaluateStateUntil(resumed, out, 3 * DAY).status, 'failing');
  const until = pauseMonitorState(beaten(of, 0), MINUTE, 10 * HOUR, createMonitorStateEvaluation(of));
  assert.equal(
    evaluateStateUntil(until, createMonitorStateEvaluation(of), 10 * HOUR).periodStartedAt,
    10 * HOUR,
  );
});

test('pausing a failing monitor ends its alert and states the pause', () => {
  const of = plan(every(HOUR));
  const failing = evaluateStateUntil(beaten(of, 0), createMonitorStateEvaluation(of), 2 * HOUR);
  const out = createMonitorStateEvaluation(of);
  const paused = pauseMonitorState(failing, 2 * HOUR, null, out);
  assert.deepEqual(out.alertTriggers, [{ event: 'recovered', at: 2 * HOUR, since: HOUR, by: 'pause' }]);
  const later = createMonitorStateEvaluation(of);
  ok(resumeMonitorState(paused, later, 3 * HOUR), later, 3 * HOUR + 1);
  assert.deepEqual(later.alertTriggers, []);
});

test('a shorter schedule does not apply to the time before the change', () => {
  const daily = plan(every(DAY), HOUR);
  const hourly = plan(every(HOUR), 5 * MINUTE);
  const at = 20 * HOUR;
  const state = changeMonitorTiming(
    evaluateStateUntil(beaten(daily, 0), createMonitorStateEvaluation(daily), at),
    daily,
    hourly,
    at,
  );
  assert.equal(state.status, 'healthy');
  assert.equal(state.dueAt, at + 5 * MINUTE);
  const out = createMonitorStateEvaluation(hourly);
  evaluateStateUntil(state, out, at + HOUR + 5 * MINUTE + 1);
  assert.deepEqual(missedAt(out), [at, at + HOUR]);
});

test('a change of the timing keeps the deadline of a first beat that a gap extended, and leaves a grace period', () => {
  const before = plan(every(HOUR), 5 * MINUTE);
  const gap = { startAt: 30 * MINUTE, endAt: 120 * MINUTE };
  const evaluation = createMonitorStateEvaluation(before, [gap]);
  const state = evaluateStateUntil(createMonitorState(evaluation, 0, null), evaluation, 130 * MINUTE);
  assert.equal(state.dueAt, 185 * MINUTE);
  for (const [next, dueAt] of [
    [plan(every(HOUR), 10 * MINUTE), 190 * MINUTE],
    [plan(every(MINUTE), 10 * MINUTE), 140 * MINUTE],
    [plan(every(HOUR), 5 * MINUTE, { firstBeatDueMs: 2 * HOUR }), 240 * MINUTE],
  ] as const)
    assert.equal(changeMonitorTiming(state, before, next, 130 * MINUTE).dueAt, dueAt);
});

test('a longer schedule does not make a failing monitor healthy, but a beat does', () => {
  const hourly = plan(every(HOUR));
  const daily = plan(every(DAY));
  const failing = evaluateStateUntil(beaten(hourly, 0), createMonitorStateEvaluation(hourly), 3 * HOUR);
  const changed = changeMonitorTiming(failing, hourly, daily, 3 * HOUR);
  assert.deepEqual([changed.status, changed.expectedAt], ['failing', DAY]);
  assert.equal(ok(changed, createMonitorStateEvaluation(daily), 4 * HOUR).status, 'healthy');
});

test('cron times follow the time zone through clock changes', () => {
  const of = plan({ kind: 'cron', cron: '30 3 * * *', timezone: 'Europe/Riga' }, HOUR);
  const next = (text: string) => new Date(of.occurrences.after(Date.parse(text)) ?? 0).toISOString();
  assert.equal(next('2023-03-25T12:00:00Z').slice(0, 13), '2023-03-26T01', 'right after the jump forward');
  assert.equal(next('2023-10-28T12:00:00Z').slice(0, 10), '2023-10-29');
  const first = Date.parse(next('2023-10-28T12:00:00Z'));
  assert.equal(new Date(of.occurrences.after(first) ?? 0).toISOString(), '2023-10-30T01:30:00.000Z', 'once');
  const hourly = plan({ kind: 'cron', cron: '0 * * * *', timezone: 'Europe/Riga' });
  let state = beaten(hourly, Date.parse('2023-10-28T12:00:00Z'));
  const out = createMonitorStateEvaluation(of);
  for (let hour = 1; hour <= 24; hour++)
    state = ok(state, out, Date.parse('2023-10-28T12:00:00Z') + hour * HOUR);
  assert.deepEqual(out.inferredChecks, [], 'an hour that comes twice is no miss');
});

test('a cron job whose clock is slightly ahead satisfies the expected beat of its hour', () => {
  const of = plan({ kind: 'cron', cron: '0 3 * * *', timezone: 'UTC' }, 10 * MINUTE);
  const three = Date.parse('2026-01-02T03:00:00Z');
  assert.equal(beaten(of, three - 2_000).expectedAt, three + DAY);
  assert.equal(beaten(of, three - MINUTE).expectedAt, three);
});

test('a schedule without further times expects no more beats', () => {
  const of = plan({ kind: 'cron', cron: '0 0 30 2 *', timezone: 'UTC' });
  const state = beaten(of, 0);
  assert.deepEqual([state.status, state.dueAt], ['healthy', null]);
  assert.equal(evaluateStateUntil(state, createMonitorStateEvaluation(of), 1000 * DAY).status, 'healthy');
});

test('intervals longer than the longest timer are evaluated like others', () => {
  const of = plan(every(366 * DAY));
  const out = createMonitorStateEvaluation(of);
  evaluateStateUntil(beaten(of, 0), out, 366 * DAY + 1);
  assert.deepEqual(missedAt(out), [366 * DAY]);
});

test('if too many beats were missed, one check states their number', () => {
  const of = plan(every(MINUTE));
  const out = createMonitorStateEvaluation(of);
  const state = evaluateStateUntil(beaten(of, 0), out, 5_000 * MINUTE + 1);
  assert.equal(out.inferredChecks.length, MAX_MISSED_CHECKS_PER_EVALUATION + 1);
  assert.equal(
    out.inferredChecks.reduce((sum, { missedCount }) => sum + missedCount, 0),
    5_000,
  );
  assert.equal(state.expectedAt, 5_001 * MINUTE);
});

test('a beat that was due before the gap is missed, and one that was due during it is not', () => {
  const of = plan(every(HOUR), 10 * MINUTE);
  const gap = { startAt: 2 * HOUR, endAt: 4 * HOUR };
  const dead = createMonitorStateEvaluation(of);
  const failing = evaluateStateUntil(beaten(of, 0), { ...dead, gaps: [gap] }, 6 * HOUR);
  assert.deepEqual(dead.periods, [{ status: 'failing', startedAt: HOUR + 10 * MINUTE, reason: 'missed' }]);
  assert.deepEqual(missedAt(dead), [HOUR, 5 * HOUR], 'no rows for the promises in the gap');
  assert.equal(failing.failingSince, HOUR + 10 * MINUTE);
  const alive = createMonitorStateEvaluation(of);
  const state = evaluateStateUntil(beaten(of, 90 * MINUTE), { ...alive, gaps: [gap] }, 4 * HOUR);
  assert.equal(state.dueAt, 4 * HOUR + HOUR + 10 * MINUTE);
  assert.deepEqual(alive.inferredChecks, [
    { status: 'unknown', expectedAt: 150 * MINUTE, at: 4 * HOUR, missedCount: 1 },
  ]);
});

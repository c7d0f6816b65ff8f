import { appendBeatInterval } from './beat-intervals.ts';
import { evaluateClockUntil } from './evaluate-clock-until.ts';
import type {
  ClockEvaluation,
  MonitorClock,
  MonitorHistoryChanges,
  MonitorPlan,
  MonitorRecoveryCause,
} from './monitor-clock.ts';
import {
  computeFirstBeatDueAt,
  endClockPause,
  markClockFailing,
  startStatusPeriod,
} from './monitor-clock-transitions.ts';

/**
 * A job's report, as it affects the monitor's state. `ok` and `fail` count as the expected beat.
 * `start` and `log` do not.
 */
export interface BeatEvent {
  readonly kind: 'ok' | 'fail' | 'start' | 'log';
  /** Time at which the request was accepted, in database time. */
  readonly at: number;
  /** Earliest possible time of arrival, if the request was read late. Absent if it was read immediately. */
  readonly earliestReceivedAt?: number;
  /** Pairs a start with its end if runs overlap. */
  readonly runId: string | null;
}

export interface BeatEventResult {
  readonly clock: MonitorClock;
  /** Time from the start of the run to this beat, in milliseconds. Null without a start. */
  readonly durationMs: number | null;
}

/** An end that arrives later than this after a start belongs to another run. */
const RUN_MS = 72 * 60 * 60 * 1000;

/** Returns the state of a new monitor, which waits for its first beat or is paused. */
export function createMonitorClock(
  evaluation: ClockEvaluation,
  atMs: number,
  pause: { readonly until: number | null } | null,
): MonitorClock {
  const paused = pause !== null;
  evaluation.periods.push({
    status: paused ? 'paused' : 'waiting',
    startedAt: atMs,
    reason: paused ? 'paused' : 'created',
  });
  return {
    status: paused ? 'paused' : 'waiting',
    lastBeatAt: null,
    anchorAt: atMs,
    expectedAt: null,
    dueAt: paused ? null : computeFirstBeatDueAt(evaluation.plan, atMs),
    failingSince: null,
    misses: 0,
    alertedSince: null,
    originalDueAt: null,
    intervals: '',
    pausedUntil: pause?.until ?? null,
    periodStartedAt: atMs,
    evaluatedUntil: atMs,
    runStartedAt: null,
    runId: null,
  };
}

/**
 * Applies a beat to a monitor's state, after everything before the beat has been evaluated. The
 * result therefore does not depend on when the sweep runs. A beat that is older than the newest one
 * is recorded but does not change the state.
 */
export function applyBeatEvent(
  clock: MonitorClock,
  evaluation: ClockEvaluation,
  call: BeatEvent,
): BeatEventResult {
  const { plan } = evaluation;
  const { at, kind } = call;
  const settled = evaluateClockUntil(clock, evaluation, Math.min(at, call.earliestReceivedAt ?? at));
  if (kind === 'log') return { clock: settled, durationMs: null };
  if (kind === 'start')
    return { clock: { ...settled, runStartedAt: at, runId: call.runId }, durationMs: null };
  const run = endRun(settled, call);
  if (run.clock.lastBeatAt !== null && at < run.clock.lastBeatAt) return { ...run, clock: settled };
  const { lastBeatAt, intervals } = run.clock;
  const noted: MonitorClock = {
    ...run.clock,
    lastBeatAt: at,
    intervals: lastBeatAt === null ? '' : appendBeatInterval(intervals, at - lastBeatAt),
  };
  if (noted.status === 'paused') return { ...run, clock: noted };
  const heard =
    kind === 'ok' ? recordRecovery(noted, at, evaluation) : markClockFailing(noted, evaluation, at, null);
  const expectedAt = plan.occurrences.afterBeat(at);
  const next: MonitorClock = {
    ...heard,
    anchorAt: at,
    originalDueAt: null,
    expectedAt,
    dueAt: expectedAt === null ? null : expectedAt + plan.graceMs,
  };
  return { ...run, clock: next };
}

/** Ends the run with the same id. A failure, or an end without id, ends any running one. */
function endRun(clock: MonitorClock, { at, kind, runId }: BeatEvent): BeatEventResult {
  const { runStartedAt } = clock;
  if (runStartedAt === null) return { clock, durationMs: null };
  if (clock.runId !== runId && runId !== null && kind !== 'fail') return { clock, durationMs: null };
  const durationMs = at - runStartedAt;
  return {
    clock: { ...clock, runStartedAt: null, runId: null },
    durationMs: durationMs >= 0 && durationMs <= RUN_MS && clock.runId === runId ? durationMs : null,
  };
}

function recordRecovery(clock: MonitorClock, at: number, out: MonitorHistoryChanges): MonitorClock {
  const well = clearFailure(clock, at, 'beat', out);
  if (clock.status === 'healthy') return well;
  return startStatusPeriod(well, { status: 'healthy', startedAt: at, reason: 'beat' }, out);
}

/** Ends a failure. If an alert was sent, also sends a recovery. */
function clearFailure(
  clock: MonitorClock,
  at: number,
  by: MonitorRecoveryCause,
  out: MonitorHistoryChanges,
): MonitorClock {
  if (clock.alertedSince !== null)
    out.alertTriggers.push({ event: 'recovered', at, since: clock.alertedSince, by });
  return { ...clock, misses: 0, alertedSince: null, failingSince: null };
}

/** Ends a removed monitor's state. If a failure alert was sent, also sends a recovery alert. */
export function endMonitorClock(
  settled: MonitorClock,
  atMs: number,
  out: MonitorHistoryChanges,
): MonitorClock {
  const over = clearFailure(settled, atMs, 'deleted', out);
  if (settled.status === 'paused') return over;
  return { ...enterPaused(over, atMs, out), expectedAt: null, dueAt: null };
}

/**
 * Pauses a monitor until `until`, or until it is resumed. If the monitor is already paused, only
 * changes when the pause ends.
 */
export function pauseMonitorClock(
  settled: MonitorClock,
  atMs: number,
  until: number | null,
  out: MonitorHistoryChanges,
): MonitorClock {
  if (settled.status === 'paused') return { ...settled, pausedUntil: until };
  const paused = enterPaused(clearFailure(settled, atMs, 'pause', out), atMs, out);
  return { ...paused, pausedUntil: until, expectedAt: null, dueAt: null };
}

function enterPaused(clock: MonitorClock, atMs: number, out: MonitorHistoryChanges): MonitorClock {
  return startStatusPeriod(clock, { status: 'paused', startedAt: atMs, reason: 'paused' }, out);
}

/** Ends a monitor's pause now. Returns the state unchanged if the monitor is not paused. */
export function resumeMonitorClock(
  settled: MonitorClock,
  evaluation: ClockEvaluation,
  atMs: number,
): MonitorClock {
  return settled.status === 'paused' ? endClockPause(settled, evaluation, atMs) : settled;
}

/**
 * Changes a monitor's schedule or grace period at `atMs`. The state must have been evaluated until
 * `atMs` with the old plan. With the new plan, no beat is overdue before `atMs` plus the grace
 * period. A failing monitor stays failing until its next beat.
 */
export function changeMonitorPlan(
  settled: MonitorClock,
  plan: MonitorPlan,
  next: MonitorPlan,
  atMs: number,
): MonitorClock {
  const same = sameSchedule(plan, next);
  if (settled.status === 'paused') return settled;
  if (same && plan.graceMs === next.graceMs && plan.firstBeatDueMs === next.firstBeatDueMs) return settled;
  if (settled.expectedAt === null && settled.lastBeatAt === null) {
    // The missing first beat was already reported. It is reported once, whatever the schedule.
    if (settled.dueAt === null) return settled;
    const dueAt = computeFirstBeatDueAt(next, settled.periodStartedAt);
    return { ...settled, dueAt: dueAt === null ? null : Math.max(dueAt, atMs) };
  }
  const expectedAt = same ? settled.expectedAt : nextOccurrence(settled, next, atMs);
  const dueAt = expectedAt === null ? null : Math.max(expectedAt, atMs) + next.graceMs;
  return { ...settled, expectedAt, dueAt };
}

/**
 * The next expected beat with the new schedule. Skips all earlier times except the latest one, unless the
 * monitor is failing.
 */
function nextOccurrence({ status, anchorAt }: MonitorClock, next: MonitorPlan, atMs: number): number | null {
  return status === 'failing'
    ? next.occurrences.firstAfter(anchorAt, atMs)
    : next.occurrences.lastUntil(anchorAt, atMs);
}

function sameSchedule({ schedule: one }: MonitorPlan, { schedule: other }: MonitorPlan): boolean {
  if (one.kind === 'interval') return other.kind === 'interval' && one.intervalMs === other.intervalMs;
  return other.kind === 'cron' && one.cron === other.cron && one.timezone === other.timezone;
}

import { appendBeatInterval } from './beat-intervals.ts';
import { evaluateStateUntil } from './evaluate-state-until.ts';
import type {
  MonitorHistoryChanges,
  MonitorRecoveryReason,
  MonitorState,
  MonitorStateEvaluation,
  MonitorTiming,
} from './monitor-state.ts';
import {
  computeFirstBeatDueAt,
  endMonitorPause,
  markMonitorFailing,
  startStatusPeriod,
} from './monitor-state-transitions.ts';

/**
 * The part of a beat that affects the monitor's state. `ok` and `fail` count as the expected beat. `start`
 * and `log` do not.
 */
export interface BeatEvent {
  readonly kind: 'ok' | 'fail' | 'start' | 'log';
  /** When the request was accepted, in database time. */
  readonly at: number;
  /**
   * Earliest time at which the request may have arrived, if it was read late. Absent if it was read
   * immediately.
   */
  readonly earliestReceivedAt?: number;
  /** Associates the end of a run with its start if runs overlap. Null if the client sent no id. */
  readonly runId: string | null;
}

/** The monitor's state after a beat, the duration of the run that the beat ended, and the beat that was expected. */
export interface BeatEventResult {
  readonly state: MonitorState;
  /** Time from the start of the run to this beat, in milliseconds. Null if no start was reported. */
  readonly durationMs: number | null;
  /** The beat that was expected next when this beat arrived. Null if none was expected. */
  readonly expectedAt: number | null;
}

/** Maximum duration of a run. An end that arrives later belongs to another run. */
const RUN_MS = 72 * 60 * 60 * 1000;

/**
 * Creates the state of a new monitor, which is waiting for its first beat or is paused. Adds the first status
 * period to `evaluation`.
 */
export function createMonitorState(
  evaluation: MonitorStateEvaluation,
  atMs: number,
  pause: { readonly until: number | null } | null,
): MonitorState {
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
 * Applies a beat to a monitor's state. First evaluates everything that is due before the beat, so that the
 * result does not depend on when the sweep runs. A beat that is older than the newest one is recorded but
 * does not change the state.
 */
export function applyBeatEvent(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  call: BeatEvent,
): BeatEventResult {
  const { at } = call;
  const settled = evaluateStateUntil(state, evaluation, Math.min(at, call.earliestReceivedAt ?? at));
  return { ...applyBeatToEvaluatedState(settled, evaluation, call), expectedAt: settled.expectedAt };
}

type AppliedBeat = Omit<BeatEventResult, 'expectedAt'>;

/** Applies a beat to a state that was evaluated until the beat. */
function applyBeatToEvaluatedState(
  settled: MonitorState,
  evaluation: MonitorStateEvaluation,
  call: BeatEvent,
): AppliedBeat {
  const { plan } = evaluation;
  const { at, kind } = call;
  if (kind === 'log') return { state: settled, durationMs: null };
  if (kind === 'start')
    return { state: { ...settled, runStartedAt: at, runId: call.runId }, durationMs: null };
  const run = endRun(settled, call);
  if (run.state.lastBeatAt !== null && at < run.state.lastBeatAt) return { ...run, state: settled };
  const { lastBeatAt, intervals } = run.state;
  const noted: MonitorState = {
    ...run.state,
    lastBeatAt: at,
    intervals: lastBeatAt === null ? '' : appendBeatInterval(intervals, at - lastBeatAt),
  };
  if (noted.status === 'paused') return { ...run, state: noted };
  const heard =
    kind === 'ok' ? recordRecovery(noted, at, evaluation) : markMonitorFailing(noted, evaluation, at, null);
  const expectedAt = plan.occurrences.afterBeat(at);
  const next: MonitorState = {
    ...heard,
    anchorAt: at,
    originalDueAt: null,
    expectedAt,
    dueAt: expectedAt === null ? null : expectedAt + plan.graceMs,
  };
  return { ...run, state: next };
}

/** Ends the run with the same id. A failure, or an end without an id, ends any run in progress. */
function endRun(state: MonitorState, { at, kind, runId }: BeatEvent): AppliedBeat {
  const { runStartedAt } = state;
  if (runStartedAt === null) return { state, durationMs: null };
  if (state.runId !== runId && runId !== null && kind !== 'fail') return { state, durationMs: null };
  const durationMs = at - runStartedAt;
  return {
    state: { ...state, runStartedAt: null, runId: null },
    durationMs: durationMs >= 0 && durationMs <= RUN_MS && state.runId === runId ? durationMs : null,
  };
}

function recordRecovery(state: MonitorState, at: number, out: MonitorHistoryChanges): MonitorState {
  const well = clearFailure(state, at, 'beat', out);
  if (state.status === 'healthy') return well;
  return startStatusPeriod(well, { status: 'healthy', startedAt: at, reason: 'beat' }, out);
}

/** Ends a failure. If a failure alert was sent, also sends a recovery alert. */
function clearFailure(
  state: MonitorState,
  at: number,
  by: MonitorRecoveryReason,
  out: MonitorHistoryChanges,
): MonitorState {
  if (state.alertedSince !== null)
    out.alertTriggers.push({ event: 'recovered', at, since: state.alertedSince, by });
  return { ...state, misses: 0, alertedSince: null, failingSince: null };
}

/**
 * Returns the final state of a monitor that is removed at `atMs`. If a failure alert was sent, also adds a
 * recovery alert to `out`.
 */
export function applyMonitorRemoval(
  settled: MonitorState,
  atMs: number,
  out: MonitorHistoryChanges,
): MonitorState {
  const over = clearFailure(settled, atMs, 'deleted', out);
  if (settled.status === 'paused') return over;
  return { ...enterPaused(over, atMs, out), expectedAt: null, dueAt: null };
}

/**
 * Pauses a monitor until `until`, in Unix milliseconds. If `until` is null, the pause lasts until the monitor
 * is resumed. If the monitor is already paused, only changes when the pause ends.
 */
export function pauseMonitorState(
  settled: MonitorState,
  atMs: number,
  until: number | null,
  out: MonitorHistoryChanges,
): MonitorState {
  if (settled.status === 'paused') return { ...settled, pausedUntil: until };
  const paused = enterPaused(clearFailure(settled, atMs, 'pause', out), atMs, out);
  return { ...paused, pausedUntil: until, expectedAt: null, dueAt: null };
}

function enterPaused(state: MonitorState, atMs: number, out: MonitorHistoryChanges): MonitorState {
  return startStatusPeriod(state, { status: 'paused', startedAt: atMs, reason: 'paused' }, out);
}

/** Ends a monitor's pause now. Returns the state unchanged if the monitor is not paused. */
export function resumeMonitorState(
  settled: MonitorState,
  evaluation: MonitorStateEvaluation,
  atMs: number,
): MonitorState {
  return settled.status === 'paused' ? endMonitorPause(settled, evaluation, atMs) : settled;
}

/**
 * Changes a monitor's schedule or grace period at `atMs`. The state must have been evaluated until `atMs`
 * with the old timing. With the new timing, no beat becomes overdue before `atMs` plus the grace period. A
 * failing monitor remains failing until its next beat.
 */
export function changeMonitorTiming(
  settled: MonitorState,
  plan: MonitorTiming,
  next: MonitorTiming,
  atMs: number,
): MonitorState {
  const same = sameSchedule(plan, next);
  if (settled.status === 'paused') return settled;
  if (same && plan.graceMs === next.graceMs && plan.firstBeatDueMs === next.firstBeatDueMs) return settled;
  if (settled.expectedAt === null && settled.lastBeatAt === null) {
    // The missing first beat was already reported. It is reported once, whatever the schedule.
    if (settled.dueAt === null) return settled;
    const dueAt = computeFirstBeatDueAt(next, settled.anchorAt);
    if (dueAt === settled.dueAt) return settled;
    return { ...settled, dueAt: dueAt === null ? null : Math.max(dueAt, atMs + next.graceMs) };
  }
  const expectedAt = same ? settled.expectedAt : nextOccurrence(settled, next, atMs);
  const dueAt = expectedAt === null ? null : Math.max(expectedAt, atMs) + next.graceMs;
  return { ...settled, expectedAt, dueAt };
}

/**
 * Returns the next expected beat with the new schedule; null if there is none. Skips all earlier times except
 * the latest one, unless the monitor is failing.
 */
function nextOccurrence(
  { status, anchorAt }: MonitorState,
  next: MonitorTiming,
  atMs: number,
): number | null {
  return status === 'failing'
    ? next.occurrences.firstAfter(anchorAt, atMs)
    : next.occurrences.lastUntil(anchorAt, atMs);
}

function sameSchedule({ schedule: one }: MonitorTiming, { schedule: other }: MonitorTiming): boolean {
  if (one.kind === 'interval') return other.kind === 'interval' && one.intervalMs === other.intervalMs;
  return other.kind === 'cron' && one.cron === other.cron && one.timezone === other.timezone;
}

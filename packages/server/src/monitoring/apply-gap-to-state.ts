import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import { computeMedianBeatIntervalMs } from './beat-intervals.ts';
import { EARLY_BEAT_TOLERANCE_MS } from './monitor-schedule.ts';
import type {
  MonitorHistoryChanges,
  MonitorState,
  MonitorStateEvaluation,
  MonitorTiming,
} from './monitor-state.ts';
import { computeFirstBeatDueAt, endMonitorPause } from './monitor-state-transitions.ts';

/** Part of the interval after which beats usually arrive. A gap that ends earlier does not hide a beat. */
const EARLIEST_ARRIVAL_FRACTION = 0.75;

/** The time of the next expected beat, and its deadline. */
interface ExpectedBeat {
  readonly expectedAt: number;
  readonly dueAt: number;
}

/**
 * Applies a gap to a monitor's state. If the expected beat could have arrived in the gap, the time until its
 * deadline starts again after the gap. This happens at most once after each beat. Otherwise, the deadline
 * does not change.
 */
export function applyGapToState(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  gap: MonitoringGap,
): MonitorState {
  const { plan } = evaluation;
  if (state.status === 'paused') {
    const { pausedUntil } = state;
    if (pausedUntil === null || pausedUntil > gap.endAt) return state;
    return applyGapToState(endMonitorPause(state, evaluation, pausedUntil), evaluation, gap);
  }
  const { expectedAt, dueAt, originalDueAt } = state;
  if (dueAt === null) return state;
  // Several gaps while one beat is expected extend its deadline once. The last gap counts.
  if (originalDueAt !== null && gap.startAt > originalDueAt)
    return extendDeadlineAgain(state, plan, gap, dueAt);
  if (expectedAt === null) return delayFirstBeatReport(state, plan, gap, dueAt);
  if (state.status === 'failing') return skipMissesInGap(state, evaluation, gap, { expectedAt, dueAt });
  if (originalDueAt === null && gap.endAt <= earliestArrival(state, plan, expectedAt))
    return gap.isClockJump ? shiftForClockStep(state, plan, gap, { expectedAt, dueAt }) : state;
  const next = plan.occurrences.afterBeat(gap.endAt);
  // Beats of a cron job are expected only at its times. A gap before the next time changes nothing.
  if (next !== null && next + plan.graceMs <= dueAt) return state;
  if (expectedAt <= gap.endAt) recordUnknown(expectedAt, gap, evaluation);
  return {
    ...state,
    originalDueAt: originalDueAt ?? dueAt,
    anchorAt: gap.endAt,
    expectedAt: next,
    dueAt: next === null ? null : next + plan.graceMs,
  };
}

/**
 * Returns the earliest time at which the next beat can arrive. Uses the measured interval of the job if it is
 * shorter than its schedule. If the job has not reported since it was created or resumed, returns the start
 * of the period.
 */
function earliestArrival(state: MonitorState, plan: MonitorTiming, expectedAt: number): number {
  if (state.status === 'waiting' || state.lastBeatAt === null) return state.periodStartedAt;
  const interval = Math.min(
    plan.occurrences.intervalBefore(expectedAt),
    computeMedianBeatIntervalMs(state.intervals),
  );
  const early = plan.schedule.kind === 'cron' ? EARLY_BEAT_TOLERANCE_MS : 0;
  return Math.min(state.lastBeatAt + EARLIEST_ARRIVAL_FRACTION * interval, expectedAt - early);
}

/**
 * Shifts the expected time of an interval by a jump of the clock, in which no time passed for the job. Times
 * of a cron expression follow the clock.
 */
function shiftForClockStep(
  state: MonitorState,
  plan: MonitorTiming,
  { startAt, endAt }: MonitoringGap,
  { expectedAt, dueAt }: ExpectedBeat,
): MonitorState {
  if (plan.schedule.kind === 'cron') return state;
  const length = endAt - startAt;
  return { ...state, expectedAt: expectedAt + length, dueAt: dueAt + length };
}

/**
 * Skips the beats that a failing job could not send in a gap, without counting them as missed. This happens
 * at most once after each beat. The expected times keep their interval.
 */
function skipMissesInGap(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  gap: MonitoringGap,
  { expectedAt, dueAt }: ExpectedBeat,
): MonitorState {
  if (expectedAt > gap.endAt) return state;
  const { plan } = evaluation;
  recordUnknown(expectedAt, gap, evaluation);
  const next = plan.occurrences.firstAfter(expectedAt, gap.endAt);
  return {
    ...state,
    originalDueAt: state.originalDueAt ?? dueAt,
    expectedAt: next,
    dueAt: next === null ? null : next + plan.graceMs,
  };
}

/**
 * Extends a deadline that a gap has already extended. If the deadline passed during this gap, adds the length
 * of the gap.
 */
function extendDeadlineAgain(
  state: MonitorState,
  plan: MonitorTiming,
  { startAt, endAt }: MonitoringGap,
  dueAt: number,
): MonitorState {
  if (dueAt > endAt) return state;
  const { expectedAt, anchorAt } = state;
  const length = endAt - startAt;
  if (expectedAt === null) return { ...state, anchorAt: anchorAt + length, dueAt: dueAt + length };
  if (plan.schedule.kind === 'interval')
    return {
      ...state,
      anchorAt: anchorAt + length,
      expectedAt: expectedAt + length,
      dueAt: dueAt + length,
    };
  const next = plan.occurrences.after(endAt);
  if (next === null) return { ...state, dueAt: dueAt + length };
  return {
    ...state,
    expectedAt: Math.max(expectedAt, next - plan.occurrences.intervalBefore(next)),
    dueAt: Math.min(dueAt + length, next + plan.graceMs),
  };
}

function delayFirstBeatReport(
  state: MonitorState,
  plan: MonitorTiming,
  gap: MonitoringGap,
  dueAt: number,
): MonitorState {
  const later = computeFirstBeatDueAt(plan, gap.endAt) ?? dueAt;
  return {
    ...state,
    originalDueAt: state.originalDueAt ?? dueAt,
    anchorAt: gap.endAt,
    dueAt: Math.max(dueAt, later),
  };
}

function recordUnknown(expectedAt: number, { endAt }: MonitoringGap, out: MonitorHistoryChanges): void {
  out.inferredChecks.push({ status: 'unknown', expectedAt, at: endAt, missedCount: 1 });
}

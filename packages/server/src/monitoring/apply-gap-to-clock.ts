import { computeMedianBeatInterval } from './beat-intervals.ts';
import type {
  AvailabilityGap,
  ClockEvaluation,
  MonitorClock,
  MonitorHistoryChanges,
  MonitorPlan,
} from './monitor-clock.ts';
import { computeFirstBeatDueAt, endClockPause } from './monitor-clock-transitions.ts';
import { EARLY_BEAT_TOLERANCE_MS } from './monitor-schedule.ts';

/** Beats usually arrive after this part of the interval. A gap that ends earlier hides no beat. */
const EARLIEST_ARRIVAL_FRACTION = 0.75;

/** The time of the next expected beat, and its deadline. */
interface ExpectedBeat {
  readonly expectedAt: number;
  readonly dueAt: number;
}

/**
 * Applies a gap to a monitor's state (product section 6, "Gaps in Floe's own availability"). If the
 * expected beat could have arrived in the gap, the time allowed for it starts again after the gap.
 * This happens at most once after each beat. Otherwise the deadline does not change.
 */
export function applyGapToClock(
  clock: MonitorClock,
  evaluation: ClockEvaluation,
  gap: AvailabilityGap,
): MonitorClock {
  const { plan } = evaluation;
  if (clock.status === 'paused') {
    const { pausedUntil } = clock;
    if (pausedUntil === null || pausedUntil > gap.endAt) return clock;
    return applyGapToClock(endClockPause(clock, evaluation, pausedUntil), evaluation, gap);
  }
  const { expectedAt, dueAt, originalDueAt } = clock;
  if (dueAt === null) return clock;
  // Several gaps while one beat is expected extend its deadline once. The last gap counts.
  if (originalDueAt !== null && gap.startAt > originalDueAt)
    return extendDeadlineAgain(clock, plan, gap, dueAt);
  if (expectedAt === null) return delayFirstBeatReport(clock, plan, gap, dueAt);
  if (clock.status === 'failing') return skipMissesInGap(clock, evaluation, gap, { expectedAt, dueAt });
  if (originalDueAt === null && gap.endAt <= earliestArrival(clock, plan, expectedAt))
    return gap.isClockJump ? shiftForClockStep(clock, plan, gap, { expectedAt, dueAt }) : clock;
  const next = plan.occurrences.afterBeat(gap.endAt);
  // Beats of a cron job are expected only at its times. A gap before the next time changes nothing.
  if (next !== null && next + plan.graceMs <= dueAt) return clock;
  if (expectedAt <= gap.endAt) recordUnknown(expectedAt, gap, evaluation);
  return {
    ...clock,
    originalDueAt: originalDueAt ?? dueAt,
    anchorAt: gap.endAt,
    expectedAt: next,
    dueAt: next === null ? null : next + plan.graceMs,
  };
}

/**
 * The earliest time at which the next beat can arrive. Uses the measured interval of the job if it is
 * shorter than its schedule. If the job has not reported since it was created or resumed, the time is the
 * start of the period.
 */
function earliestArrival(clock: MonitorClock, plan: MonitorPlan, expectedAt: number): number {
  if (clock.status === 'waiting' || clock.lastBeatAt === null) return clock.periodStartedAt;
  const interval = Math.min(
    plan.occurrences.intervalBefore(expectedAt),
    computeMedianBeatInterval(clock.intervals),
  );
  const early = plan.schedule.kind === 'cron' ? EARLY_BEAT_TOLERANCE_MS : 0;
  return Math.min(clock.lastBeatAt + EARLIEST_ARRIVAL_FRACTION * interval, expectedAt - early);
}

/**
 * During a jump of the clock, the interval of a job did not pass. Times of a cron expression follow the
 * clock.
 */
function shiftForClockStep(
  clock: MonitorClock,
  plan: MonitorPlan,
  { startAt, endAt }: AvailabilityGap,
  { expectedAt, dueAt }: ExpectedBeat,
): MonitorClock {
  if (plan.schedule.kind === 'cron') return clock;
  const length = endAt - startAt;
  return { ...clock, expectedAt: expectedAt + length, dueAt: dueAt + length };
}

/** In a gap, a failing job misses no beats, once. Its expected times keep their rhythm. */
function skipMissesInGap(
  clock: MonitorClock,
  evaluation: ClockEvaluation,
  gap: AvailabilityGap,
  { expectedAt, dueAt }: ExpectedBeat,
): MonitorClock {
  if (expectedAt > gap.endAt) return clock;
  const { plan } = evaluation;
  recordUnknown(expectedAt, gap, evaluation);
  const next = plan.occurrences.firstAfter(expectedAt, gap.endAt);
  return {
    ...clock,
    originalDueAt: clock.originalDueAt ?? dueAt,
    expectedAt: next,
    dueAt: next === null ? null : next + plan.graceMs,
  };
}

/** A new window was already given. If the deadline passed during this gap, adds the length of the gap. */
function extendDeadlineAgain(
  clock: MonitorClock,
  plan: MonitorPlan,
  { startAt, endAt }: AvailabilityGap,
  dueAt: number,
): MonitorClock {
  if (dueAt > endAt) return clock;
  const { expectedAt, anchorAt } = clock;
  const length = endAt - startAt;
  if (expectedAt === null) return { ...clock, dueAt: dueAt + length };
  if (plan.schedule.kind === 'interval')
    return {
      ...clock,
      anchorAt: anchorAt + length,
      expectedAt: expectedAt + length,
      dueAt: dueAt + length,
    };
  const next = plan.occurrences.after(endAt);
  if (next === null) return { ...clock, dueAt: dueAt + length };
  return {
    ...clock,
    expectedAt: Math.max(expectedAt, next - plan.occurrences.intervalBefore(next)),
    dueAt: Math.min(dueAt + length, next + plan.graceMs),
  };
}

function delayFirstBeatReport(
  clock: MonitorClock,
  plan: MonitorPlan,
  gap: AvailabilityGap,
  dueAt: number,
): MonitorClock {
  const later = computeFirstBeatDueAt(plan, gap.endAt) ?? dueAt;
  return { ...clock, originalDueAt: clock.originalDueAt ?? dueAt, dueAt: Math.max(dueAt, later) };
}

function recordUnknown(expectedAt: number, { endAt }: AvailabilityGap, out: MonitorHistoryChanges): void {
  out.inferredChecks.push({ status: 'unknown', expectedAt, at: endAt, missedCount: 1 });
}

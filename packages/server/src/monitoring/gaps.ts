import { endPause, firstBeatDueAt } from './clock-transitions.ts';
import { medianInterval } from './intervals.ts';
import type { Evaluation, Gap, HistoryChanges, MonitorClock, MonitorPlan } from './monitor-clock.ts';
import { EARLY_BEAT_TOLERANCE_MS } from './schedule.ts';

/** A beat that comes earlier than this part of its interval is not expected: a gap before it hid nothing. */
const EARLIEST_ARRIVAL_FRACTION = 0.75;

/** The next beat: when it is expected, and its deadline. */
interface ExpectedBeat {
  readonly expectedAt: number;
  readonly dueAt: number;
}

/**
 * What a gap of ours does to a clock (product section 6, "Gaps in Floe's own availability"). A gap in which the beat
 * could have arrived gives one whole new window after it, once per last beat. Any other gap leaves the deadline alone.
 */
export function applyGap(clock: MonitorClock, evaluation: Evaluation, gap: Gap): MonitorClock {
  const { plan } = evaluation;
  if (clock.status === 'paused') {
    const { pausedUntil } = clock;
    if (pausedUntil === null || pausedUntil > gap.endAt) return clock;
    return applyGap(endPause(clock, evaluation, pausedUntil), evaluation, gap);
  }
  const { expectedAt, dueAt, originalDueAt } = clock;
  if (dueAt === null) return clock;
  // Several gaps in the time in which one beat could arrive are one reason to wait: the last of them counts.
  if (originalDueAt !== null && gap.startAt > originalDueAt)
    return extendDeadlineAgain(clock, plan, gap, dueAt);
  if (expectedAt === null) return delayFirstBeatReport(clock, plan, gap, dueAt);
  if (clock.status === 'failing') return skipMissesInGap(clock, evaluation, gap, { expectedAt, dueAt });
  if (originalDueAt === null && gap.endAt <= earliestArrival(clock, plan, expectedAt))
    return gap.isClockJump ? shiftForClockStep(clock, plan, gap, { expectedAt, dueAt }) : clock;
  const next = plan.occurrences.afterBeat(gap.endAt);
  // A cron job is expected at its times only: a gap before the next one moved nothing.
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
 * From when on the next beat could arrive. The job's own rhythm counts where it is faster than what was promised. Of a
 * job that did not beat since it was created or resumed, nobody knows the rhythm: from the beginning.
 */
function earliestArrival(clock: MonitorClock, plan: MonitorPlan, expectedAt: number): number {
  if (clock.status === 'waiting' || clock.lastBeatAt === null) return clock.periodStartedAt;
  const interval = Math.min(plan.occurrences.intervalBefore(expectedAt), medianInterval(clock.intervals));
  const early = plan.schedule.kind === 'cron' ? EARLY_BEAT_TOLERANCE_MS : 0;
  return Math.min(clock.lastBeatAt + EARLIEST_ARRIVAL_FRACTION * interval, expectedAt - early);
}

/** The job's interval did not run on while the clock jumped; times of a cron expression are those of the clock. */
function shiftForClockStep(
  clock: MonitorClock,
  plan: MonitorPlan,
  { startAt, endAt }: Gap,
  { expectedAt, dueAt }: ExpectedBeat,
): MonitorClock {
  if (plan.schedule.kind === 'cron') return clock;
  const length = endAt - startAt;
  return { ...clock, expectedAt: expectedAt + length, dueAt: dueAt + length };
}

/** A failing job misses nothing in a gap, once; its promises keep their rhythm. */
function skipMissesInGap(
  clock: MonitorClock,
  evaluation: Evaluation,
  gap: Gap,
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

/** The new window was given already. A deadline that passed while we were away takes what was left of it after the gap. */
function extendDeadlineAgain(
  clock: MonitorClock,
  plan: MonitorPlan,
  { startAt, endAt }: Gap,
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

function delayFirstBeatReport(clock: MonitorClock, plan: MonitorPlan, gap: Gap, dueAt: number): MonitorClock {
  const later = firstBeatDueAt(plan, gap.endAt) ?? dueAt;
  return { ...clock, originalDueAt: clock.originalDueAt ?? dueAt, dueAt: Math.max(dueAt, later) };
}

function recordUnknown(expectedAt: number, { endAt }: Gap, out: HistoryChanges): void {
  out.inferredChecks.push({ status: 'unknown', expectedAt, at: endAt, missedCount: 1 });
}

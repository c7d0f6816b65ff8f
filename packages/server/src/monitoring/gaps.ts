import type { Clock, Evaluation, Gap, Outcome, Plan } from './clock.ts';
import { medianOf } from './intervals.ts';
import { EARLY_MS } from './schedule.ts';
import { firstBeatDue, resume } from './transitions.ts';

/** A beat that comes earlier than this part of its interval is not expected: a gap before it hid nothing. */
const ARRIVES_AFTER = 0.75;

/** The next beat: when it is expected, and its deadline. */
interface ExpectedBeat {
  readonly expectedAt: number;
  readonly dueAt: number;
}

/**
 * What a gap of ours does to a clock (product section 6, "Gaps in Floe's own availability"). A gap in which the beat
 * could have arrived gives one whole new window after it, once per last beat. Any other gap leaves the deadline alone.
 */
export function throughGap(clock: Clock, evaluation: Evaluation, gap: Gap): Clock {
  const { plan } = evaluation;
  if (clock.status === 'paused') {
    const { pausedUntil } = clock;
    if (pausedUntil === null || pausedUntil > gap.endAt) return clock;
    return throughGap(resume(clock, evaluation, pausedUntil), evaluation, gap);
  }
  const { expectedAt, dueAt, extendedFrom } = clock;
  if (dueAt === null) return clock;
  // Several gaps in the time in which one beat could arrive are one reason to wait: the last of them counts.
  if (extendedFrom !== null && gap.startAt > extendedFrom) return resumedDeadline(clock, plan, gap, dueAt);
  if (expectedAt === null) return reportedLater(clock, plan, gap, dueAt);
  if (clock.status === 'failing') return withoutMisses(clock, evaluation, gap, { expectedAt, dueAt });
  if (extendedFrom === null && gap.endAt <= arrivalFrom(clock, plan, expectedAt))
    return gap.isStep ? later(clock, plan, gap, { expectedAt, dueAt }) : clock;
  const next = plan.promises.afterBeat(gap.endAt);
  // A cron job is expected at its times only: a gap before the next one moved nothing.
  if (next !== null && next + plan.graceMs <= dueAt) return clock;
  if (expectedAt <= gap.endAt) unknown(expectedAt, gap, evaluation);
  return {
    ...clock,
    extendedFrom: extendedFrom ?? dueAt,
    anchorAt: gap.endAt,
    expectedAt: next,
    dueAt: next === null ? null : next + plan.graceMs,
  };
}

/**
 * From when on the next beat could arrive. The job's own rhythm counts where it is faster than what was promised. Of a
 * job that did not beat since it was created or resumed, nobody knows the rhythm: from the beginning.
 */
function arrivalFrom(clock: Clock, plan: Plan, expectedAt: number): number {
  if (clock.status === 'waiting' || clock.lastBeatAt === null) return clock.periodAt;
  const interval = Math.min(plan.promises.intervalBefore(expectedAt), medianOf(clock.intervals));
  const early = plan.schedule.kind === 'cron' ? EARLY_MS : 0;
  return Math.min(clock.lastBeatAt + ARRIVES_AFTER * interval, expectedAt - early);
}

/** The job's interval did not run on while the clock jumped; times of a cron expression are those of the clock. */
function later(
  clock: Clock,
  plan: Plan,
  { startAt, endAt }: Gap,
  { expectedAt, dueAt }: ExpectedBeat,
): Clock {
  if (plan.schedule.kind === 'cron') return clock;
  const length = endAt - startAt;
  return { ...clock, expectedAt: expectedAt + length, dueAt: dueAt + length };
}

/** A failing job misses nothing in a gap, once; its promises keep their rhythm. */
function withoutMisses(
  clock: Clock,
  evaluation: Evaluation,
  gap: Gap,
  { expectedAt, dueAt }: ExpectedBeat,
): Clock {
  if (expectedAt > gap.endAt) return clock;
  const { plan } = evaluation;
  unknown(expectedAt, gap, evaluation);
  const next = plan.promises.firstAfter(expectedAt, gap.endAt);
  return {
    ...clock,
    extendedFrom: clock.extendedFrom ?? dueAt,
    expectedAt: next,
    dueAt: next === null ? null : next + plan.graceMs,
  };
}

/** The new window was given already. A deadline that passed while we were away takes what was left of it after the gap. */
function resumedDeadline(clock: Clock, plan: Plan, { startAt, endAt }: Gap, dueAt: number): Clock {
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
  const next = plan.promises.after(endAt);
  if (next === null) return { ...clock, dueAt: dueAt + length };
  return {
    ...clock,
    expectedAt: Math.max(expectedAt, next - plan.promises.intervalBefore(next)),
    dueAt: Math.min(dueAt + length, next + plan.graceMs),
  };
}

function reportedLater(clock: Clock, plan: Plan, gap: Gap, dueAt: number): Clock {
  const later = firstBeatDue(plan, gap.endAt) ?? dueAt;
  return { ...clock, extendedFrom: clock.extendedFrom ?? dueAt, dueAt: Math.max(dueAt, later) };
}

function unknown(expectedAt: number, { endAt }: Gap, out: Outcome): void {
  out.verdicts.push({ status: 'unknown', expectedAt, at: endAt, standsFor: 1 });
}

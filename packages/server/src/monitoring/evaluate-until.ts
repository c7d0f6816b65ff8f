import { endPause, markFailing } from './clock-transitions.ts';
import { applyGap } from './gaps.ts';
import type { Evaluation, MonitorClock } from './monitor-clock.ts';

/** More missed beats at once than this are one row that says how many. */
export const MAX_SEPARATE_MISSES = 1_000;

/**
 * Accounts for everything that happened to a clock by itself before `untilMs`: beats that did not come, pauses
 * that ended, gaps of ours. Pure, and additive: settling to a and then to b is settling to b.
 *
 * A promise is broken when `untilMs` is later than its deadline. What was due before a gap is judged, what was
 * due in it is not: nobody was there to receive (product section 6, "Semantics").
 */
export function evaluateUntil(clock: MonitorClock, evaluation: Evaluation, untilMs: number): MonitorClock {
  let evaluated = clock;
  for (const gap of evaluation.gaps) {
    if (gap.endAt <= evaluated.evaluatedUntil) continue;
    if (gap.startAt >= untilMs) break;
    const startAt = Math.max(gap.startAt, evaluated.evaluatedUntil);
    evaluated = evaluateDeadlines(evaluated, evaluation, startAt);
    const endAt = Math.min(gap.endAt, untilMs);
    evaluated = { ...applyGap(evaluated, evaluation, { ...gap, startAt, endAt }), evaluatedUntil: endAt };
  }
  evaluated = evaluateDeadlines(evaluated, evaluation, untilMs);
  return { ...evaluated, evaluatedUntil: Math.max(evaluated.evaluatedUntil, untilMs) };
}

/** Deadlines and ends of pauses before `untilMs`, no gap among them. */
function evaluateDeadlines(clock: MonitorClock, evaluation: Evaluation, untilMs: number): MonitorClock {
  let evaluated = clock;
  let misses = 0;
  for (;;) {
    if (evaluated.status === 'paused') {
      const { pausedUntil } = evaluated;
      if (pausedUntil === null || pausedUntil > untilMs) return evaluated;
      evaluated = endPause(evaluated, evaluation, pausedUntil);
    }
    if (evaluated.dueAt === null || evaluated.dueAt >= untilMs) return evaluated;
    evaluated = recordMiss(evaluated, evaluation, misses < MAX_SEPARATE_MISSES ? null : untilMs);
    misses += 1;
  }
}

/** @param allUntil null for one promise; else every promise due before it, as one row. */
function recordMiss(clock: MonitorClock, evaluation: Evaluation, allUntil: number | null): MonitorClock {
  const { plan } = evaluation;
  const { expectedAt, dueAt, periodStartedAt } = clock;
  if (dueAt === null) return clock;
  if (expectedAt === null) {
    evaluation.alertTriggers.push({ event: 'never_beaten', at: dueAt, since: periodStartedAt });
    return { ...clock, dueAt: null };
  }
  let following = plan.occurrences.after(expectedAt);
  let missedCount = 1;
  if (allUntil !== null)
    while (following !== null && following + plan.graceMs < allUntil) {
      following = plan.occurrences.after(following);
      missedCount += 1;
    }
  evaluation.inferredChecks.push({ status: 'missed', expectedAt, at: dueAt, missedCount });
  const failing = markFailing(clock, evaluation, dueAt, missedCount);
  return { ...failing, expectedAt: following, dueAt: following === null ? null : following + plan.graceMs };
}

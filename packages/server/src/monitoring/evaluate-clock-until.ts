import { applyGapToClock } from './apply-gap-to-clock.ts';
import type { ClockEvaluation, MonitorClock } from './monitor-clock.ts';
import { endClockPause, markClockFailing } from './monitor-clock-transitions.ts';

/** If more beats than this were missed at once, a single row with their number is stored. */
export const MAX_MISSES_PER_CATCH_UP = 1_000;

/**
 * Evaluates all changes to a monitor's state that occur without a report before `untilMs`: missed
 * beats, ended pauses and gaps. Has no side effects. The result is the same whether it is called
 * once or in several steps.
 *
 * A beat is missed if `untilMs` is later than its deadline. Deadlines before a gap are evaluated.
 * Deadlines in a gap are not, because no process could receive the beat (product section 6,
 * "Semantics").
 */
export function evaluateClockUntil(
  clock: MonitorClock,
  evaluation: ClockEvaluation,
  untilMs: number,
): MonitorClock {
  let evaluated = clock;
  for (const gap of evaluation.gaps) {
    if (gap.endAt <= evaluated.evaluatedUntil) continue;
    if (gap.startAt >= untilMs) break;
    const startAt = Math.max(gap.startAt, evaluated.evaluatedUntil);
    evaluated = evaluateDeadlines(evaluated, evaluation, startAt);
    const endAt = Math.min(gap.endAt, untilMs);
    evaluated = {
      ...applyGapToClock(evaluated, evaluation, { ...gap, startAt, endAt }),
      evaluatedUntil: endAt,
    };
  }
  evaluated = evaluateDeadlines(evaluated, evaluation, untilMs);
  return { ...evaluated, evaluatedUntil: Math.max(evaluated.evaluatedUntil, untilMs) };
}

/** Evaluates deadlines and ends of pauses before `untilMs`, in a span without gaps. */
function evaluateDeadlines(clock: MonitorClock, evaluation: ClockEvaluation, untilMs: number): MonitorClock {
  let evaluated = clock;
  let misses = 0;
  for (;;) {
    if (evaluated.status === 'paused') {
      const { pausedUntil } = evaluated;
      if (pausedUntil === null || pausedUntil > untilMs) return evaluated;
      evaluated = endClockPause(evaluated, evaluation, pausedUntil);
    }
    if (evaluated.dueAt === null || evaluated.dueAt >= untilMs) return evaluated;
    evaluated = recordMiss(evaluated, evaluation, misses < MAX_MISSES_PER_CATCH_UP ? null : untilMs);
    misses += 1;
  }
}

/** @param allUntil null for one miss; otherwise all misses before this time become one row */
function recordMiss(clock: MonitorClock, evaluation: ClockEvaluation, allUntil: number | null): MonitorClock {
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
  const failing = markClockFailing(clock, evaluation, dueAt, missedCount);
  return { ...failing, expectedAt: following, dueAt: following === null ? null : following + plan.graceMs };
}

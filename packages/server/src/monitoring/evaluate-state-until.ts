import { applyGapToState } from './apply-gap-to-state.ts';
import type { MonitorState, MonitorStateEvaluation } from './monitor-state.ts';
import { endMonitorPause, markMonitorFailing } from './monitor-state-transitions.ts';

/**
 * Maximum number of missed beats that one evaluation stores as separate rows. All further missed beats are stored as
 * one row with their count.
 */
export const MAX_MISSED_CHECKS_PER_EVALUATION = 1_000;

/**
 * Evaluates all changes to a monitor's state that occur without a report before `untilMs`: missed beats,
 * ended pauses and gaps. Appends to `evaluation`. The result is the same whether it is called once or in several
 * steps. A beat is missed if `untilMs` is later than its deadline. A deadline in a gap is not evaluated,
 * because no process could have received the beat.
 */
export function evaluateStateUntil(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  untilMs: number,
): MonitorState {
  let evaluated = state;
  for (const gap of evaluation.gaps) {
    if (gap.endAt <= evaluated.evaluatedUntil) continue;
    if (gap.startAt >= untilMs) break;
    const startAt = Math.max(gap.startAt, evaluated.evaluatedUntil);
    evaluated = evaluateDeadlines(evaluated, evaluation, startAt);
    const endAt = Math.min(gap.endAt, untilMs);
    evaluated = {
      ...applyGapToState(evaluated, evaluation, { ...gap, startAt, endAt }),
      evaluatedUntil: endAt,
    };
  }
  evaluated = evaluateDeadlines(evaluated, evaluation, untilMs);
  return { ...evaluated, evaluatedUntil: Math.max(evaluated.evaluatedUntil, untilMs) };
}

/** Evaluates deadlines and ends of pauses before `untilMs`, in a span without gaps. */
function evaluateDeadlines(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  untilMs: number,
): MonitorState {
  let evaluated = state;
  let misses = 0;
  for (;;) {
    if (evaluated.status === 'paused') {
      const { pausedUntil } = evaluated;
      if (pausedUntil === null || pausedUntil > untilMs) return evaluated;
      evaluated = endMonitorPause(evaluated, evaluation, pausedUntil);
    }
    if (evaluated.dueAt === null || evaluated.dueAt >= untilMs) return evaluated;
    evaluated = recordMiss(evaluated, evaluation, misses < MAX_MISSED_CHECKS_PER_EVALUATION ? null : untilMs);
    misses += 1;
  }
}

/**
 * Records a miss.
 * @param allUntil null for one miss; otherwise, all misses before this time become one row
 */
function recordMiss(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  allUntil: number | null,
): MonitorState {
  const { plan } = evaluation;
  const { expectedAt, dueAt, periodStartedAt } = state;
  if (dueAt === null) return state;
  if (expectedAt === null) {
    evaluation.alertTriggers.push({ event: 'never_beaten', at: dueAt, since: periodStartedAt });
    return { ...state, dueAt: null };
  }
  let following = plan.occurrences.after(expectedAt);
  let missedCount = 1;
  if (allUntil !== null)
    while (following !== null && following + plan.graceMs < allUntil) {
      following = plan.occurrences.after(following);
      missedCount += 1;
    }
  evaluation.inferredChecks.push({ status: 'missed', expectedAt, at: dueAt, missedCount });
  const failing = markMonitorFailing(state, evaluation, dueAt, missedCount);
  return { ...failing, expectedAt: following, dueAt: following === null ? null : following + plan.graceMs };
}

import type {
  MonitorHistoryChanges,
  MonitorState,
  MonitorStateEvaluation,
  MonitorTiming,
  StatusPeriod,
} from './monitor-state.ts';

/**
 * Marks a monitor as failing at `atMs`, unless it already is.
 *
 * @param missed the number of missed beats, or null if the job reported the failure
 */
export function markMonitorFailing(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  atMs: number,
  missed: number | null,
): MonitorState {
  const { plan } = evaluation;
  const reason = missed === null ? 'failed' : 'missed';
  const misses = state.misses + (missed ?? 1);
  const failingSince = state.failingSince ?? atMs;
  const failing: MonitorState =
    state.status === 'failing'
      ? state
      : startStatusPeriod(
          { ...state, failingSince },
          { status: 'failing', startedAt: failingSince, reason },
          evaluation,
        );
  const isEnough = misses >= plan.alertAfterMisses || (missed === null && !plan.failCountsAsMiss);
  const told = isEnough && state.alertedSince === null;
  const { lastBeatAt } = state;
  if (told)
    evaluation.alertTriggers.push({ event: 'failing', at: atMs, since: failingSince, reason, lastBeatAt });
  return { ...failing, misses, alertedSince: told ? failingSince : state.alertedSince };
}

/**
 * Returns the deadline of the first beat of a monitor that waits for it since `fromMs`, in Unix milliseconds.
 * Returns null if the first beat has no deadline.
 */
export function computeFirstBeatDueAt(plan: MonitorTiming, fromMs: number): number | null {
  if (plan.firstBeatDueMs !== null) return fromMs + plan.firstBeatDueMs;
  const promised = plan.occurrences.after(fromMs);
  return promised === null ? null : promised + plan.graceMs;
}

/**
 * Ends a pause. The next beat is expected relative to `atMs`, and the monitor becomes healthy with that beat.
 */
export function endMonitorPause(
  state: MonitorState,
  evaluation: MonitorStateEvaluation,
  atMs: number,
): MonitorState {
  const { plan } = evaluation;
  const period = { status: 'waiting', startedAt: atMs, reason: 'resumed' } as const;
  const waiting = startStatusPeriod({ ...state, pausedUntil: null }, period, evaluation);
  const fresh = { ...waiting, anchorAt: atMs, originalDueAt: null };
  if (state.lastBeatAt === null) return { ...fresh, dueAt: computeFirstBeatDueAt(plan, atMs) };
  const expectedAt = plan.occurrences.after(atMs);
  return { ...fresh, expectedAt, dueAt: expectedAt === null ? null : expectedAt + plan.graceMs };
}

/**
 * Starts a period with the given status, no earlier than the current period. If both start at the same time,
 * the new period replaces the current one when the history is written.
 */
export function startStatusPeriod(
  state: MonitorState,
  { status, startedAt: atMs, reason }: StatusPeriod,
  out: MonitorHistoryChanges,
): MonitorState {
  const startedAt = Math.max(atMs, state.periodStartedAt);
  out.periods.push({ status, startedAt, reason });
  return { ...state, status, periodStartedAt: startedAt };
}

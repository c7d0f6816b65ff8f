import type {
  ClockEvaluation,
  MonitorClock,
  MonitorHistoryChanges,
  MonitorPlan,
  StatusPeriod,
} from './monitor-clock.ts';

/**
 * Marks a monitor as failing at `atMs`, unless it already is.
 *
 * @param missed the number of missed beats, or null if the job reported the failure
 */
export function markClockFailing(
  clock: MonitorClock,
  evaluation: ClockEvaluation,
  atMs: number,
  missed: number | null,
): MonitorClock {
  const { plan } = evaluation;
  const reason = missed === null ? 'failed' : 'missed';
  const misses = clock.misses + (missed ?? 1);
  const failingSince = clock.failingSince ?? atMs;
  const failing: MonitorClock =
    clock.status === 'failing'
      ? clock
      : startStatusPeriod(
          { ...clock, failingSince },
          { status: 'failing', startedAt: failingSince, reason },
          evaluation,
        );
  const isEnough = misses >= plan.alertAfterMisses || (missed === null && !plan.failCountsAsMiss);
  const told = isEnough && clock.alertedSince === null;
  if (told) evaluation.alertTriggers.push({ event: 'failing', at: atMs, since: failingSince, reason });
  return { ...failing, misses, alertedSince: told ? failingSince : clock.alertedSince };
}

/**
 * Returns when a monitor that has received no beat since `fromMs` is reported as missing one. Null
 * means never.
 */
export function computeFirstBeatDueAt(plan: MonitorPlan, fromMs: number): number | null {
  if (plan.firstBeatDueMs !== null) return fromMs + plan.firstBeatDueMs;
  const promised = plan.occurrences.after(fromMs);
  return promised === null ? null : promised + plan.graceMs;
}

/**
 * Ends a pause. The next beat is expected relative to `atMs`, and the monitor is healthy only after
 * that beat.
 */
export function endClockPause(clock: MonitorClock, evaluation: ClockEvaluation, atMs: number): MonitorClock {
  const { plan } = evaluation;
  const period = { status: 'waiting', startedAt: atMs, reason: 'resumed' } as const;
  const waiting = startStatusPeriod({ ...clock, pausedUntil: null }, period, evaluation);
  const fresh = { ...waiting, anchorAt: atMs, originalDueAt: null };
  if (clock.lastBeatAt === null) return { ...fresh, dueAt: computeFirstBeatDueAt(plan, atMs) };
  const expectedAt = plan.occurrences.after(atMs);
  return { ...fresh, expectedAt, dueAt: expectedAt === null ? null : expectedAt + plan.graceMs };
}

/** Starts a period. Replaces the previous period if it would have no duration. */
export function startStatusPeriod(
  clock: MonitorClock,
  { status, startedAt: atMs, reason }: StatusPeriod,
  out: MonitorHistoryChanges,
): MonitorClock {
  const startedAt = Math.max(atMs, clock.periodStartedAt);
  out.periods.push({ status, startedAt, reason });
  return { ...clock, status, periodStartedAt: startedAt };
}

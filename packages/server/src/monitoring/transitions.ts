import type { Clock, Evaluation, Outcome, Period, Plan } from './clock.ts';

/**
 * Failing from `atMs`, unless the clock is already.
 *
 * @param missed how many beats did not come; null: the job reported that it failed
 */
export function fail(clock: Clock, evaluation: Evaluation, atMs: number, missed: number | null): Clock {
  const { plan } = evaluation;
  const reason = missed === null ? 'failed' : 'missed';
  const misses = clock.misses + (missed ?? 1);
  const failingSince = clock.failingSince ?? atMs;
  const failing: Clock =
    clock.status === 'failing'
      ? clock
      : enter({ ...clock, failingSince }, { status: 'failing', startedAt: failingSince, reason }, evaluation);
  const isEnough = misses >= plan.alertAfterMisses || (missed === null && !plan.failCountsAsMiss);
  const told = isEnough && clock.alertedSince === null;
  if (told) evaluation.notices.push({ event: 'failing', at: atMs, since: failingSince, reason });
  return { ...failing, misses, alertedSince: told ? failingSince : clock.alertedSince };
}

/** When a monitor without any beat since `fromMs` is reported. */
export function firstBeatDue(plan: Plan, fromMs: number): number | null {
  if (plan.firstBeatDueMs !== null) return fromMs + plan.firstBeatDueMs;
  const promised = plan.promises.after(fromMs);
  return promised === null ? null : promised + plan.graceMs;
}

/** Ends a pause: a fresh window from `atMs`, whatever was before; green only with the next beat. */
export function resume(clock: Clock, evaluation: Evaluation, atMs: number): Clock {
  const { plan } = evaluation;
  const period = { status: 'waiting', startedAt: atMs, reason: 'resumed' } as const;
  const waiting = enter({ ...clock, pausedUntil: null }, period, evaluation);
  const fresh = { ...waiting, anchorAt: atMs, extendedFrom: null };
  if (clock.lastBeatAt === null) return { ...fresh, dueAt: firstBeatDue(plan, atMs) };
  const expectedAt = plan.promises.after(atMs);
  return { ...fresh, expectedAt, dueAt: expectedAt === null ? null : expectedAt + plan.graceMs };
}

/** Begins a period; one that would have no length is replaced. */
export function enter(clock: Clock, { status, startedAt: atMs, reason }: Period, out: Outcome): Clock {
  const startedAt = Math.max(atMs, clock.periodAt);
  out.periods.push({ status, startedAt, reason });
  return { ...clock, status, periodAt: startedAt };
}

import type { Clock, Outcome, PeriodReason, Plan } from './clock.ts';

/** One more broken promise, or a job that said it failed: failing from `atMs` unless it is already. */
export function fail(
  clock: Clock,
  plan: Plan,
  atMs: number,
  count: number,
  reason: PeriodReason,
  out: Outcome,
): Clock {
  const misses = clock.misses + count;
  const failingSince = clock.failingSince ?? atMs;
  const failing: Clock =
    clock.status === 'failing'
      ? clock
      : enter({ ...clock, failingSince }, 'failing', failingSince, reason, out);
  const isEnough = misses >= plan.alertAfterMisses || (reason === 'failed' && !plan.failCountsAsMiss);
  const told = isEnough && clock.alertedSince === null;
  if (told) out.notices.push({ event: 'failing', at: atMs, since: failingSince, reason });
  return { ...failing, misses, alertedSince: told ? failingSince : clock.alertedSince };
}

/** When a monitor without any beat since `fromMs` is reported. */
export function firstBeatDue(plan: Plan, fromMs: number): number | null {
  if (plan.firstBeatDueMs !== null) return fromMs + plan.firstBeatDueMs;
  const promised = plan.promises.after(fromMs);
  return promised === null ? null : promised + plan.graceMs;
}

/** Ends a pause: a fresh window from `atMs`, whatever was before; green only with the next beat. */
export function resume(clock: Clock, plan: Plan, atMs: number, out: Outcome): Clock {
  const waiting = enter({ ...clock, pausedUntil: null }, 'waiting', atMs, 'resumed', out);
  const fresh = { ...waiting, anchorAt: atMs, extendedFrom: null };
  if (clock.lastBeatAt === null) return { ...fresh, dueAt: firstBeatDue(plan, atMs) };
  const expectedAt = plan.promises.after(atMs);
  return { ...fresh, expectedAt, dueAt: expectedAt === null ? null : expectedAt + plan.graceMs };
}

/** Begins a period; one that would have no length is replaced. */
export function enter(
  clock: Clock,
  status: Clock['status'],
  atMs: number,
  reason: PeriodReason,
  out: Outcome,
): Clock {
  const startedAt = Math.max(atMs, clock.periodAt);
  out.periods.push({ status, startedAt, reason });
  return { ...clock, status, periodAt: startedAt };
}

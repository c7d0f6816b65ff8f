import type { Clock, Gap, Outcome, PeriodReason, Plan } from './clock.ts';

/** More missed beats at once than this are one row that says how many. */
export const WRITTEN_OUT = 1_000;

/**
 * Accounts for everything that happened to a clock by itself before `untilMs`: beats that did not come, pauses
 * that ended, gaps of ours. Pure, and additive: settling to a and then to b is settling to b.
 *
 * A promise is broken when `untilMs` is later than its deadline. What was due before a gap is judged, what was
 * due in it is not: nobody was there to receive (product section 6, "Semantics").
 */
export function settle(clock: Clock, plan: Plan, gaps: readonly Gap[], untilMs: number, out: Outcome): Clock {
  let settled = clock;
  for (const gap of gaps) {
    if (gap.endAt <= settled.settledAt) continue;
    if (gap.startAt >= untilMs) break;
    const startAt = Math.max(gap.startAt, settled.settledAt);
    settled = judge(settled, plan, startAt, out);
    const endAt = Math.min(gap.endAt, untilMs);
    settled = { ...throughGap(settled, plan, { startAt, endAt }, out), settledAt: endAt };
  }
  settled = judge(settled, plan, untilMs, out);
  return { ...settled, settledAt: Math.max(settled.settledAt, untilMs) };
}

/** Deadlines and ends of pauses before `untilMs`, no gap among them. */
function judge(clock: Clock, plan: Plan, untilMs: number, out: Outcome): Clock {
  let judged = clock;
  let written = 0;
  for (;;) {
    if (judged.status === 'paused') {
      const { pausedUntil } = judged;
      if (pausedUntil === null || pausedUntil > untilMs) return judged;
      judged = resume(judged, plan, pausedUntil, out);
    }
    if (judged.dueAt === null || judged.dueAt >= untilMs) return judged;
    judged = miss(judged, plan, written < WRITTEN_OUT ? null : untilMs, out);
    written += 1;
  }
}

/** @param allUntil null for one promise; else every promise due before it, as one row. */
function miss(clock: Clock, plan: Plan, allUntil: number | null, out: Outcome): Clock {
  const { expectedAt, dueAt, periodAt } = clock;
  if (dueAt === null) return clock;
  if (expectedAt === null) {
    out.notices.push({ event: 'never_beaten', at: dueAt, since: periodAt });
    return { ...clock, dueAt: null };
  }
  let following = plan.promises.after(expectedAt);
  let standsFor = 1;
  if (allUntil !== null)
    while (following !== null && following + plan.graceMs < allUntil) {
      following = plan.promises.after(following);
      standsFor += 1;
    }
  out.verdicts.push({ status: 'missed', expectedAt, at: dueAt, standsFor });
  const failing = fail(clock, plan, dueAt, standsFor, 'missed', out);
  return { ...failing, expectedAt: following, dueAt: following === null ? null : following + plan.graceMs };
}

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
  const told = misses >= plan.alertAfterMisses && clock.alertedSince === null;
  if (told) out.notices.push({ event: 'failing', at: atMs, since: failingSince, reason });
  return { ...failing, misses, alertedSince: told ? failingSince : clock.alertedSince };
}

/** Promises that fell into the gap are nobody's fault; the first gap after a beat gives a whole new window. */
function throughGap(clock: Clock, plan: Plan, gap: Gap, out: Outcome): Clock {
  if (clock.status === 'paused') {
    const { pausedUntil } = clock;
    if (pausedUntil === null || pausedUntil > gap.endAt) return clock;
    return throughGap(resume(clock, plan, pausedUntil, out), plan, gap, out);
  }
  const { expectedAt, dueAt } = clock;
  if (dueAt === null) return clock;
  if (expectedAt === null) return reportLater(clock, plan, gap, dueAt);
  if (expectedAt <= gap.endAt)
    out.verdicts.push({ status: 'unknown', expectedAt, at: gap.endAt, standsFor: 1 });
  if (clock.status === 'failing') {
    if (expectedAt > gap.endAt) return clock;
    const next = plan.promises.firstAfter(expectedAt, gap.endAt);
    return { ...clock, expectedAt: next, dueAt: next === null ? null : next + plan.graceMs };
  }
  if (clock.granted && !promisedIn(clock, plan, gap)) return shifted(clock, plan, gap, expectedAt, dueAt);
  const promised = plan.promises.after(gap.endAt);
  if (promised === null || promised + plan.graceMs <= dueAt) return { ...clock, granted: true };
  return {
    ...clock,
    granted: true,
    anchorAt: gap.endAt,
    expectedAt: promised,
    dueAt: promised + plan.graceMs,
  };
}

/** Whether the job would have called in the gap: by its own rhythm, whatever windows earlier gaps gave. */
function promisedIn(clock: Clock, plan: Plan, gap: Gap): boolean {
  const from = clock.status === 'waiting' ? clock.periodAt : (clock.lastBeatAt ?? clock.anchorAt);
  const first = plan.promises.firstAfter(from, gap.startAt - 1);
  return first !== null && first <= gap.endAt;
}

/** A later gap only takes its own length out, or daily restarts would hide a dead daily job. */
function shifted(clock: Clock, plan: Plan, gap: Gap, expectedAt: number, dueAt: number): Clock {
  const length = gap.endAt - gap.startAt;
  if (plan.schedule.kind === 'cron')
    return expectedAt <= gap.endAt ? { ...clock, dueAt: dueAt + length } : clock;
  return {
    ...clock,
    anchorAt: clock.anchorAt + length,
    expectedAt: expectedAt + length,
    dueAt: dueAt + length,
  };
}

function reportLater(clock: Clock, plan: Plan, gap: Gap, dueAt: number): Clock {
  if (clock.granted) return { ...clock, dueAt: dueAt + gap.endAt - gap.startAt };
  return { ...clock, granted: true, dueAt: Math.max(dueAt, firstBeatDue(plan, gap.endAt) ?? dueAt) };
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
  const fresh = { ...waiting, anchorAt: atMs, granted: false };
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

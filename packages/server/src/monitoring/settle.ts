import type { Clock, Gap, Outcome, Plan } from './clock.ts';
import { throughGap } from './gaps.ts';
import { fail, resume } from './transitions.ts';

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
    settled = { ...throughGap(settled, plan, { ...gap, startAt, endAt }, out), settledAt: endAt };
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

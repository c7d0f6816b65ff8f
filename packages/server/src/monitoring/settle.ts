import type { Clock, Evaluation } from './clock.ts';
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
export function settle(clock: Clock, evaluation: Evaluation, untilMs: number): Clock {
  let settled = clock;
  for (const gap of evaluation.gaps) {
    if (gap.endAt <= settled.settledAt) continue;
    if (gap.startAt >= untilMs) break;
    const startAt = Math.max(gap.startAt, settled.settledAt);
    settled = judge(settled, evaluation, startAt);
    const endAt = Math.min(gap.endAt, untilMs);
    settled = { ...throughGap(settled, evaluation, { ...gap, startAt, endAt }), settledAt: endAt };
  }
  settled = judge(settled, evaluation, untilMs);
  return { ...settled, settledAt: Math.max(settled.settledAt, untilMs) };
}

/** Deadlines and ends of pauses before `untilMs`, no gap among them. */
function judge(clock: Clock, evaluation: Evaluation, untilMs: number): Clock {
  let judged = clock;
  let written = 0;
  for (;;) {
    if (judged.status === 'paused') {
      const { pausedUntil } = judged;
      if (pausedUntil === null || pausedUntil > untilMs) return judged;
      judged = resume(judged, evaluation, pausedUntil);
    }
    if (judged.dueAt === null || judged.dueAt >= untilMs) return judged;
    judged = miss(judged, evaluation, written < WRITTEN_OUT ? null : untilMs);
    written += 1;
  }
}

/** @param allUntil null for one promise; else every promise due before it, as one row. */
function miss(clock: Clock, evaluation: Evaluation, allUntil: number | null): Clock {
  const { plan } = evaluation;
  const { expectedAt, dueAt, periodAt } = clock;
  if (dueAt === null) return clock;
  if (expectedAt === null) {
    evaluation.notices.push({ event: 'never_beaten', at: dueAt, since: periodAt });
    return { ...clock, dueAt: null };
  }
  let following = plan.promises.after(expectedAt);
  let standsFor = 1;
  if (allUntil !== null)
    while (following !== null && following + plan.graceMs < allUntil) {
      following = plan.promises.after(following);
      standsFor += 1;
    }
  evaluation.verdicts.push({ status: 'missed', expectedAt, at: dueAt, standsFor });
  const failing = fail(clock, evaluation, dueAt, standsFor);
  return { ...failing, expectedAt: following, dueAt: following === null ? null : following + plan.graceMs };
}

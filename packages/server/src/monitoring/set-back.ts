import type { ClockRow } from '../store/monitoring/clock-row.ts';
import { lockClocksAhead, moveClocks } from '../store/monitoring/clocks.ts';
import { setBackPeriods } from '../store/monitoring/history.ts';
import type { Writer } from '../store/ports.ts';
import type { Clock, Plan } from './clock.ts';
import { clockColumns, clockOfRow, planOfRow } from './clock-rows.ts';

/**
 * Brings clocks and periods back to a time that was set back to `nowMs`: what they recorded later than that happened
 * `aheadMs` before. Deadlines keep their distance to the beats they follow; those of cron times are computed again.
 *
 * Checks stay as they were recorded.
 */
export async function setBackClocks(writer: Writer, nowMs: number, aheadMs: number): Promise<number> {
  const rows = await lockClocksAhead(writer, nowMs);
  const moved: ClockRow[] = [];
  for (const row of rows) {
    const clock = setBack(clockOfRow(row), planOfRow(row), nowMs, aheadMs);
    const periodAt =
      row.period_at > nowMs ? await setBackPeriods(writer, row.uid, nowMs, aheadMs) : clock.periodAt;
    moved.push({ ...row, ...clockColumns({ ...clock, periodAt }) });
  }
  await moveClocks(writer, moved);
  return rows.length;
}

/** The clock as it would stand had the time of its last events been right. */
export function setBack(clock: Clock, plan: Plan, nowMs: number, aheadMs: number): Clock {
  const back = (at: number) => (at > nowMs ? Math.min(nowMs, at - aheadMs) : at);
  const backOrNull = (at: number | null) => (at === null ? null : back(at));
  const isAhead = clock.anchorAt > nowMs;
  const by = isAhead ? aheadMs : 0;
  const anchorAt = back(clock.anchorAt);
  const lastBeatAt = backOrNull(clock.lastBeatAt);
  const moved: Clock = {
    ...clock,
    lastBeatAt,
    anchorAt,
    failingSince: backOrNull(clock.failingSince),
    alertedSince: backOrNull(clock.alertedSince),
    periodAt: back(clock.periodAt),
    settledAt: nowMs,
    runAt: backOrNull(clock.runAt),
    extendedFrom: clock.extendedFrom === null ? null : clock.extendedFrom - by,
  };
  const { expectedAt, dueAt, extendedFrom } = clock;
  // Only the jump ahead that is taken back now gave this window.
  if (isAhead && lastBeatAt === clock.lastBeatAt && lastBeatAt !== null && extendedFrom !== null)
    return {
      ...moved,
      anchorAt: lastBeatAt,
      expectedAt: extendedFrom - plan.graceMs,
      dueAt: extendedFrom,
      extendedFrom: null,
    };
  if (!isAhead || dueAt === null) return moved;
  if (expectedAt === null || plan.schedule.kind === 'interval')
    return { ...moved, expectedAt: expectedAt === null ? null : expectedAt - by, dueAt: dueAt - by };
  const next = plan.promises.afterBeat(anchorAt);
  return { ...moved, expectedAt: next, dueAt: next === null ? null : next + plan.graceMs };
}

import type { MonitorClockRow } from '../store/monitoring/monitor-clock-rows.ts';
import { lockFutureMonitorClocks, updateMonitorClockStates } from '../store/monitoring/monitor-clocks.ts';
import { shiftFutureMonitorPeriods } from '../store/monitoring/monitor-history.ts';
import type { DatabaseWriter } from '../store/ports.ts';
import type { MonitorClock, MonitorPlan } from './monitor-clock.ts';
import { parseMonitorClock, parseMonitorPlan, toMonitorClockColumns } from './monitor-clock-columns.ts';

/**
 * Corrects monitor states and periods after the database server's time was set back to `nowMs`.
 * Times after `nowMs` move back by `aheadMs`. Deadlines keep their distance to the beats before
 * them. Cron times are calculated again. Checks do not change. Returns the number of corrected
 * monitors.
 */
export async function rewindMonitorClocks(
  writer: DatabaseWriter,
  nowMs: number,
  aheadMs: number,
): Promise<number> {
  const rows = await lockFutureMonitorClocks(writer, nowMs);
  const moved: MonitorClockRow[] = [];
  for (const row of rows) {
    const clock = rewindMonitorClock(parseMonitorClock(row), parseMonitorPlan(row), nowMs, aheadMs);
    const periodAt =
      row.period_at > nowMs
        ? await shiftFutureMonitorPeriods(writer, row.uid, nowMs, aheadMs)
        : clock.periodStartedAt;
    moved.push({ ...row, ...toMonitorClockColumns({ ...clock, periodStartedAt: periodAt }) });
  }
  await updateMonitorClockStates(writer, moved);
  return rows.length;
}

/**
 * Returns the monitor state that would have resulted if the time of its last events had been
 * correct.
 */
export function rewindMonitorClock(
  clock: MonitorClock,
  plan: MonitorPlan,
  nowMs: number,
  aheadMs: number,
): MonitorClock {
  const back = (at: number) => (at > nowMs ? Math.min(nowMs, at - aheadMs) : at);
  const backOrNull = (at: number | null) => (at === null ? null : back(at));
  const isAhead = clock.anchorAt > nowMs;
  const by = isAhead ? aheadMs : 0;
  const anchorAt = back(clock.anchorAt);
  const lastBeatAt = backOrNull(clock.lastBeatAt);
  const moved: MonitorClock = {
    ...clock,
    lastBeatAt,
    anchorAt,
    failingSince: backOrNull(clock.failingSince),
    alertedSince: backOrNull(clock.alertedSince),
    periodStartedAt: back(clock.periodStartedAt),
    evaluatedUntil: nowMs,
    runStartedAt: backOrNull(clock.runStartedAt),
    originalDueAt: clock.originalDueAt === null ? null : clock.originalDueAt - by,
  };
  const { expectedAt, dueAt, originalDueAt } = clock;
  // The window comes only from the jump ahead that is now reversed.
  if (isAhead && lastBeatAt === clock.lastBeatAt && lastBeatAt !== null && originalDueAt !== null)
    return {
      ...moved,
      anchorAt: lastBeatAt,
      expectedAt: originalDueAt - plan.graceMs,
      dueAt: originalDueAt,
      originalDueAt: null,
    };
  if (!isAhead || dueAt === null) return moved;
  if (expectedAt === null || plan.schedule.kind === 'interval')
    return { ...moved, expectedAt: expectedAt === null ? null : expectedAt - by, dueAt: dueAt - by };
  const next = plan.occurrences.afterBeat(anchorAt);
  return { ...moved, expectedAt: next, dueAt: next === null ? null : next + plan.graceMs };
}

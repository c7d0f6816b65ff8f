import { createBudgetPeriodResolver } from '../../guardrails/budget-period.ts';
import type { MonitorStatusSpan } from '../monitor-status-spans.ts';

/**
 * A day in a board's time zone. Days on which daylight saving time begins have 23 hours; days on which it
 * ends have 25.
 */
export interface BoardDay {
  /** Date such as `2026-11-21`. */
  readonly date: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/**
 * The time that a monitor spent in each status during an interval, in milliseconds. Time before the monitor’s
 * history and time in the future are not counted.
 */
export interface StatusDurations {
  readonly healthy: number;
  readonly failing: number;
  readonly unknown: number;
  readonly paused: number;
  readonly waiting: number;
}

/** Returns the last `count` days in a time zone, including today, oldest first. */
export function listLastBoardDays(timezone: string, nowMs: number, count: number): BoardDay[] {
  const dayAt = createBudgetPeriodResolver('day', timezone);
  const days: BoardDay[] = [];
  for (let at = nowMs; days.length < count; ) {
    const { name, startsAt, endsAt } = dayAt(at);
    days.push({ date: name, startsAt, endsAt });
    at = startsAt - 1;
  }
  return days.reverse();
}

/** Returns the status durations for each interval, such as a day. `spans` must be sorted and must not overlap. */
export function sumStatusDurationsByInterval(
  spans: readonly MonitorStatusSpan[],
  days: readonly BoardDay[],
  nowMs: number,
): StatusDurations[] {
  const sums = days.map(() => ({ healthy: 0, failing: 0, unknown: 0, paused: 0, waiting: 0 }));
  let first = 0;
  for (const { status, startedAt, endedAt } of spans) {
    const end = endedAt ?? nowMs;
    while (first < days.length && (days[first]?.endsAt ?? 0) <= startedAt) first += 1;
    for (let index = first; index < days.length; index++) {
      const day = days[index];
      const sum = sums[index];
      if (!day || !sum || day.startsAt >= end) break;
      sum[status] += Math.max(0, Math.min(end, day.endsAt) - Math.max(startedAt, day.startsAt));
    }
  }
  return sums;
}

import { createPeriodResolver } from '../../guardrails/budget-period.ts';
import type { StatusSpan } from '../timeline.ts';

/** A day in the zone of a board; 23 or 25 hours long where clocks change. */
export interface BoardDay {
  /** Such as `2026-11-21`. */
  readonly date: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** What a monitor was in one day, in milliseconds; what is missing to the whole day nobody knows or it lies ahead. */
export interface StatusDurations {
  readonly healthy: number;
  readonly failing: number;
  readonly unknown: number;
  readonly paused: number;
  readonly waiting: number;
}

/** The last `count` days of a time zone, today included, oldest first. */
export function listLastDays(timezone: string, nowMs: number, count: number): BoardDay[] {
  const dayAt = createPeriodResolver('day', timezone);
  const days: BoardDay[] = [];
  for (let at = nowMs; days.length < count; ) {
    const { name, startsAt, endsAt } = dayAt(at);
    days.push({ date: name, startsAt, endsAt });
    at = startsAt - 1;
  }
  return days.reverse();
}

/** Splits spans (oldest first, none over another) into days: one walk over both. */
export function statusDurationsByDay(
  spans: readonly StatusSpan[],
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

import { getTimeZoneCalendar, type TimeZoneCalendar } from '../core/time-zone-calendar.ts';
import type { BudgetPeriodKind } from '../store/spend/budget-period-counters.ts';

/** One period of a budget. Spending starts at zero in every period. */
export interface BudgetPeriod {
  /** The first day of the period, such as `2026-11-01`; `ever` for a budget without an end. */
  readonly name: string;
  readonly startsAt: number;
  /** 0 for a budget without an end. */
  readonly endsAt: number;
}

const ALL_TIME: BudgetPeriod = { name: 'ever', startsAt: 0, endsAt: 0 };

/**
 * Returns a function that finds the budget period that contains a given time, in one time zone. The
 * function caches the current period.
 */
export function createBudgetPeriodResolver(
  kind: BudgetPeriodKind,
  timezone: string,
): (atMs: number) => BudgetPeriod {
  if (kind === 'total') return () => ALL_TIME;
  const local = getTimeZoneCalendar(timezone);
  let last: BudgetPeriod = { name: '', startsAt: 0, endsAt: 0 };
  return (atMs) => {
    if (atMs < last.startsAt || atMs >= last.endsAt) last = computePeriod(kind, local, atMs);
    return last;
  };
}

/** Weeks start on Monday (ISO 8601). */
function computePeriod(kind: BudgetPeriodKind, local: TimeZoneCalendar, atMs: number): BudgetPeriod {
  const { year, month, day } = local.dateAt(atMs);
  const weekday = (new Date(Date.UTC(year, month, day)).getUTCDay() + 6) % 7;
  const first = kind === 'month' ? 1 : kind === 'week' ? day - weekday : day;
  const startsAt = local.startOfDay(year, month, first);
  const endsAt =
    kind === 'month'
      ? local.startOfDay(year, month + 1, 1)
      : local.startOfDay(year, month, first + (kind === 'week' ? 7 : 1));
  const name = new Date(Date.UTC(year, month, first)).toISOString().slice(0, 10);
  return { name, startsAt, endsAt };
}

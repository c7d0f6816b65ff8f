import { type LocalDays, localDays } from '../core/local-days.ts';

/** A stretch of a budget: from when it counts to when it starts again from zero. */
export interface Period {
  /** Its first day, such as `2026-11-01`; `ever` for a budget without an end. */
  readonly name: string;
  readonly startsAt: number;
  /** 0 for a budget without an end. */
  readonly endsAt: number;
}

export type PeriodKind = 'day' | 'week' | 'month' | 'total';

const EVER: Period = { name: 'ever', startsAt: 0, endsAt: 0 };

/** Tells the period of a time, in one time zone: it is worked out once a period, not once a request. */
export function periodsOf(kind: PeriodKind, timezone: string): (atMs: number) => Period {
  if (kind === 'total') return () => EVER;
  const local = localDays(timezone);
  let last: Period = { name: '', startsAt: 0, endsAt: 0 };
  return (atMs) => {
    if (atMs < last.startsAt || atMs >= last.endsAt) last = periodAt(kind, local, atMs);
    return last;
  };
}

/** Weeks start on Monday (ISO 8601). */
function periodAt(kind: PeriodKind, local: LocalDays, atMs: number): Period {
  const { year, month, day } = local.dayOf(atMs);
  const weekday = (new Date(Date.UTC(year, month, day)).getUTCDay() + 6) % 7;
  const first = kind === 'month' ? 1 : kind === 'week' ? day - weekday : day;
  const startsAt = local.startOf(year, month, first);
  const endsAt =
    kind === 'month'
      ? local.startOf(year, month + 1, 1)
      : local.startOf(year, month, first + (kind === 'week' ? 7 : 1));
  const name = new Date(Date.UTC(year, month, first)).toISOString().slice(0, 10);
  return { name, startsAt, endsAt };
}

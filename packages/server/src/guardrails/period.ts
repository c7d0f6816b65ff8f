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

interface LocalDays {
  /** Month from 0. */
  dayOf(atMs: number): { readonly year: number; readonly month: number; readonly day: number };
  /** The first moment of a local day; days and months beyond their end run over. */
  startOf(year: number, month: number, day: number): number;
}

function localDays(timezone: string): LocalDays {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  /** The local clock's reading as if it were UTC. */
  function readingAt(atMs: number): number {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  }
  return {
    dayOf(atMs) {
      const reading = new Date(readingAt(atMs));
      return { year: reading.getUTCFullYear(), month: reading.getUTCMonth(), day: reading.getUTCDate() };
    },
    startOf(year, month, day) {
      const midnight = Date.UTC(year, month, day);
      // A day with a clock change starts with another offset than the one it is guessed with.
      const guess = midnight - (readingAt(midnight) - midnight);
      const corrected = midnight - (readingAt(guess) - guess);
      // Where midnight was skipped, the day starts when the clock jumped past it.
      return readingAt(corrected) < midnight ? Math.max(guess, corrected) : corrected;
    },
  };
}

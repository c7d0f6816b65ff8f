/** The calendar of one time zone: where its days begin, 23 or 25 hours long where clocks change. */
export interface LocalDays {
  /** Month from 0. */
  dayOf(atMs: number): { readonly year: number; readonly month: number; readonly day: number };
  /** The first moment of a local day; days and months beyond their end run over. */
  startOf(year: number, month: number, day: number): number;
  /** What the zone's clocks are ahead of UTC, in milliseconds. */
  offsetAt(atMs: number): number;
}

/** From the end of the span before until `until`, clocks are `offsetMs` ahead of UTC. */
export interface OffsetSpan {
  /** Milliseconds since the epoch, not included; `Infinity` for the last one. */
  readonly until: number;
  readonly offsetMs: number;
}

const DAY_MS = 86_400_000;
const known = new Map<string, LocalDays>();

/** @throws RangeError for what is no time zone */
export function localDays(timezone: string): LocalDays {
  let days = known.get(timezone);
  if (!days) {
    days = timezone === 'UTC' ? UTC_DAYS : daysOf(timezone);
    known.set(timezone, days);
  }
  return days;
}

/** The offsets of a zone from `from` to `to`: one span, and one more for each change of its clocks. */
export function offsetSpans(timezone: string, from: number, to: number): readonly OffsetSpan[] {
  const { offsetAt } = localDays(timezone);
  const spans: OffsetSpan[] = [];
  let offsetMs = offsetAt(from);
  for (let at = from; at < to; at += DAY_MS) {
    const next = Math.min(at + DAY_MS, to);
    const later = offsetAt(next);
    if (later === offsetMs) continue;
    spans.push({ until: changeBetween(at, next, offsetAt), offsetMs });
    offsetMs = later;
  }
  return [...spans, { until: Number.POSITIVE_INFINITY, offsetMs }];
}

/** The first second with another offset than `low` has. */
function changeBetween(low: number, high: number, offsetAt: LocalDays['offsetAt']): number {
  const before = offsetAt(low);
  let [same, other] = [Math.floor(low / 1000), Math.ceil(high / 1000)];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle * 1000) === before) same = middle;
    else other = middle;
  }
  return other * 1000;
}

const UTC_DAYS: LocalDays = {
  dayOf: (atMs) => dateOf(atMs),
  startOf: (year, month, day) => Date.UTC(year, month, day),
  offsetAt: () => 0,
};

function daysOf(timezone: string): LocalDays {
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
  /** The local clock's reading as if it were UTC, in whole seconds. */
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
    dayOf: (atMs) => dateOf(readingAt(atMs)),
    startOf(year, month, day) {
      const midnight = Date.UTC(year, month, day);
      // A day with a clock change starts with another offset than the one it is guessed with.
      const guess = midnight - (readingAt(midnight) - midnight);
      const corrected = midnight - (readingAt(guess) - guess);
      // Where midnight was skipped, the day starts when the clock jumped past it.
      return readingAt(corrected) < midnight ? Math.max(guess, corrected) : corrected;
    },
    offsetAt(atMs) {
      const second = Math.floor(atMs / 1000) * 1000;
      return readingAt(second) - second;
    },
  };
}

function dateOf(readingMs: number) {
  const reading = new Date(readingMs);
  return { year: reading.getUTCFullYear(), month: reading.getUTCMonth(), day: reading.getUTCDate() };
}

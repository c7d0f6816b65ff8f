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
/** Zones remembered, at 27 KB each: whoever asks names them, in any spelling that `Intl` reads. */
const KEPT = 100;
const known = new Map<string, LocalDays>();

/** @throws RangeError for what is no time zone */
export function localDays(timezone: string): LocalDays {
  const found = known.get(timezone);
  if (found) return found;
  const days = timezone === 'UTC' ? UTC_DAYS : calendarOf(readingOffsets(timezone));
  if (known.size >= KEPT) known.clear();
  known.set(timezone, days);
  return days;
}

/** A local day, from its first moment on. */
export interface LocalDay {
  readonly startsAt: number;
  /** What clocks show at midnight, as if it were UTC. */
  readonly reading: number;
}

/** Every local day that a range touches, oldest first. Asks `Intl` once for each, so that ten years are no burden. */
export function daysTouched(timezone: string, from: number, to: number): readonly LocalDay[] {
  const spans = offsetSpans(timezone, from - 3 * DAY_MS, to + 3 * DAY_MS);
  const offsetAt = (atMs: number) => spans.find(({ until }) => atMs < until)?.offsetMs ?? 0;
  const firstAt = from + offsetAt(from);
  const touched: LocalDay[] = [];
  for (let reading = Math.floor(firstAt / DAY_MS) * DAY_MS; ; reading += DAY_MS) {
    const startsAt = startOfDay(reading, offsetAt);
    if (touched.length > 0 && startsAt >= to) return touched;
    touched.push({ startsAt, reading });
  }
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

function calendarOf(offsetAt: LocalDays['offsetAt']): LocalDays {
  return {
    dayOf: (atMs) => dateOf(atMs + offsetAt(atMs)),
    startOf: (year, month, day) => startOfDay(Date.UTC(year, month, day), offsetAt),
    offsetAt,
  };
}

/**
 * The first moment at which clocks show this midnight, where they were put back over it too. Where they were put
 * forward over it, the day starts at that moment.
 */
function startOfDay(midnight: number, offsetAt: LocalDays['offsetAt']): number {
  const [before, after] = [midnight - offsetAt(midnight - DAY_MS), midnight - offsetAt(midnight + DAY_MS)];
  const first = Math.min(before, after);
  return first + offsetAt(first) === midnight ? first : Math.max(before, after);
}

function readingOffsets(timezone: string): LocalDays['offsetAt'] {
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
  return (atMs) => {
    const second = Math.floor(atMs / 1000) * 1000;
    const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const reading = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return reading - second;
  };
}

function dateOf(readingMs: number) {
  const reading = new Date(readingMs);
  return { year: reading.getUTCFullYear(), month: reading.getUTCMonth(), day: reading.getUTCDate() };
}

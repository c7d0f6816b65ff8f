/** The calendar of one time zone: where its days begin, 23 or 25 hours long where clocks change. */
export interface TimeZoneCalendar {
  /** Month from 0. */
  dateAt(atMs: number): { readonly year: number; readonly month: number; readonly day: number };
  /** The first moment of a local day; days and months beyond their end run over. */
  startOfDay(year: number, month: number, day: number): number;
  /** What the zone's clocks are ahead of UTC, in milliseconds. */
  offsetAt(atMs: number): number;
}

/** From the end of the span before until `until`, clocks are `offsetMs` ahead of UTC. */
export interface UtcOffsetSpan {
  /** Milliseconds since the epoch, not included; `Infinity` for the last one. */
  readonly until: number;
  readonly offsetMs: number;
}

const DAY_MS = 86_400_000;
/** Zones remembered, at 27 KB each: whoever asks names them, in any spelling that `Intl` reads. */
const MAX_CACHED_ZONES = 100;
const calendars = new Map<string, TimeZoneCalendar>();

/** @throws RangeError for what is no time zone */
export function getTimeZoneCalendar(timezone: string): TimeZoneCalendar {
  const found = calendars.get(timezone);
  if (found) return found;
  const days = timezone === 'UTC' ? UTC_CALENDAR : createCalendar(createOffsetLookup(timezone));
  if (calendars.size >= MAX_CACHED_ZONES) calendars.clear();
  calendars.set(timezone, days);
  return days;
}

/** A local day, from its first moment on. */
export interface LocalDay {
  readonly startsAt: number;
  /** What clocks show at midnight, as if it were UTC. */
  readonly localMidnight: number;
}

/** Every local day that a range touches, oldest first. Asks `Intl` once for each, so that ten years are no burden. */
export function localDaysInRange(timezone: string, from: number, to: number): readonly LocalDay[] {
  const spans = utcOffsetSpans(timezone, from - 3 * DAY_MS, to + 3 * DAY_MS);
  const offsetAt = (atMs: number) => spans.find(({ until }) => atMs < until)?.offsetMs ?? 0;
  const firstAt = from + offsetAt(from);
  const touched: LocalDay[] = [];
  for (let reading = Math.floor(firstAt / DAY_MS) * DAY_MS; ; reading += DAY_MS) {
    const startsAt = startOfDay(reading, offsetAt);
    if (touched.length > 0 && startsAt >= to) return touched;
    touched.push({ startsAt, localMidnight: reading });
  }
}

/** The offsets of a zone from `from` to `to`: one span, and one more for each change of its clocks. */
export function utcOffsetSpans(timezone: string, from: number, to: number): readonly UtcOffsetSpan[] {
  const { offsetAt } = getTimeZoneCalendar(timezone);
  const spans: UtcOffsetSpan[] = [];
  let offsetMs = offsetAt(from);
  for (let at = from; at < to; at += DAY_MS) {
    const next = Math.min(at + DAY_MS, to);
    const later = offsetAt(next);
    if (later === offsetMs) continue;
    spans.push({ until: findOffsetChange(at, next, offsetAt), offsetMs });
    offsetMs = later;
  }
  return [...spans, { until: Number.POSITIVE_INFINITY, offsetMs }];
}

/** The first second with another offset than `low` has. */
function findOffsetChange(low: number, high: number, offsetAt: TimeZoneCalendar['offsetAt']): number {
  const before = offsetAt(low);
  let [same, other] = [Math.floor(low / 1000), Math.ceil(high / 1000)];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle * 1000) === before) same = middle;
    else other = middle;
  }
  return other * 1000;
}

const UTC_CALENDAR: TimeZoneCalendar = {
  dateAt: (atMs) => toDateParts(atMs),
  startOfDay: (year, month, day) => Date.UTC(year, month, day),
  offsetAt: () => 0,
};

function createCalendar(offsetAt: TimeZoneCalendar['offsetAt']): TimeZoneCalendar {
  return {
    dateAt: (atMs) => toDateParts(atMs + offsetAt(atMs)),
    startOfDay: (year, month, day) => startOfDay(Date.UTC(year, month, day), offsetAt),
    offsetAt,
  };
}

/**
 * The first moment at which clocks show this midnight, where they were put back over it too. Where they were put
 * forward over it, the day starts at that moment.
 */
function startOfDay(midnight: number, offsetAt: TimeZoneCalendar['offsetAt']): number {
  const [before, after] = [midnight - offsetAt(midnight - DAY_MS), midnight - offsetAt(midnight + DAY_MS)];
  const first = Math.min(before, after);
  return first + offsetAt(first) === midnight ? first : Math.max(before, after);
}

function createOffsetLookup(timezone: string): TimeZoneCalendar['offsetAt'] {
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

function toDateParts(readingMs: number) {
  const reading = new Date(readingMs);
  return { year: reading.getUTCFullYear(), month: reading.getUTCMonth(), day: reading.getUTCDate() };
}

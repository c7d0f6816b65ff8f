/**
 * The calendar of one time zone. Days on which daylight saving time begins have 23 hours; days on which it
 * ends have 25.
 */
export interface TimeZoneCalendar {
  /** Returns the local date. Months start at 0. */
  dateAt(atMs: number): { readonly year: number; readonly month: number; readonly day: number };
  /**
   * Returns the first moment of a local day, in Unix milliseconds. Months and days out of range carry over.
   */
  startOfDay(year: number, month: number, day: number): number;
  /** Returns the offset of local time from UTC, in milliseconds. */
  offsetAt(atMs: number): number;
}

/** A time span with one UTC offset. It starts at the end of the previous span. */
export interface UtcOffsetSpan {
  /** Exclusive end in Unix milliseconds; `Infinity` for the last span. */
  readonly until: number;
  readonly offsetMs: number;
}

const DAY_MS = 86_400_000;
/**
 * Maximum number of cached time zones. Callers choose the names, in any spelling that `Intl` accepts, and a
 * cached zone takes 27 KB.
 */
const MAX_CACHED_ZONES = 200;
const calendars = new Map<string, TimeZoneCalendar>();

/** Returns the calendar of a time zone. @throws RangeError if the name is not a time zone */
export function getTimeZoneCalendar(timezone: string): TimeZoneCalendar {
  const found = calendars.get(timezone);
  if (found) return found;
  const days = timezone === 'UTC' ? UTC_CALENDAR : createCalendar(createOffsetLookup(timezone));
  calendars.set(timezone, days);
  for (const oldest of calendars.keys()) {
    if (calendars.size <= MAX_CACHED_ZONES) break;
    calendars.delete(oldest);
  }
  return days;
}

/** A day in a time zone's local time. */
export interface LocalDay {
  readonly startsAt: number;
  /** Local midnight, encoded as if it were UTC. */
  readonly localMidnight: number;
}

/**
 * Returns every local day that overlaps a range, oldest first. Calls `Intl` only once per day, so that a
 * range of ten years is fast.
 */
export function listLocalDays(timezone: string, from: number, to: number): readonly LocalDay[] {
  const spans = listUtcOffsetSpans(timezone, from - 3 * DAY_MS, to + 3 * DAY_MS);
  const offsetAt = (atMs: number) => spans.find(({ until }) => atMs < until)?.offsetMs ?? 0;
  const firstAt = from + offsetAt(from);
  const touched: LocalDay[] = [];
  for (let reading = Math.floor(firstAt / DAY_MS) * DAY_MS; ; reading += DAY_MS) {
    const startsAt = startOfDay(reading, offsetAt);
    if (touched.length > 0 && startsAt >= to) return touched;
    touched.push({ startsAt, localMidnight: reading });
  }
}

/**
 * Returns a time zone's UTC offsets between `from` and `to`: one span, plus one for each change of
 * the offset.
 */
export function listUtcOffsetSpans(timezone: string, from: number, to: number): readonly UtcOffsetSpan[] {
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

/** Returns the first second whose offset differs from the offset at `low`. */
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
 * Returns the first moment at which clocks show this midnight. If clocks skip midnight, the day starts at the
 * moment of the change.
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

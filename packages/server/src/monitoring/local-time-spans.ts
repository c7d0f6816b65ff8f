import {
  getTimeZoneCalendar,
  listUtcOffsetSpans,
  type TimeZoneCalendar,
} from '../core/time-zone-calendar.ts';

/** Length of the time range whose spans are computed together. Each day of the range takes 20 µs. */
const RANGE_MS = 16 * 86_400_000;
const MAX_KNOWN_RANGES = 100;

/** A time span in which local time has one offset from UTC. A span need not end with a change of the offset. */
export interface LocalTimeSpan {
  /** Unix milliseconds. */
  readonly startsAt: number;
  /** Exclusive end in Unix milliseconds. */
  readonly endsAt: number;
  /** The offset from UTC. Unix milliseconds plus this offset are the local time, encoded as if it were UTC. */
  readonly offsetMs: number;
  /**
   * The local time at which the previous span ended. Earlier than the local time at which this span starts if clocks
   * skipped the time between. Later if the time between occurs again in this span.
   */
  readonly reachedMs: number;
}

/** The spans by calendar and range, so that they are discarded with the calendars. */
const known = new WeakMap<TimeZoneCalendar, Map<number, readonly LocalTimeSpan[]>>();

/** Returns the span of a time zone that contains `atMs`, in Unix milliseconds. */
export function getLocalTimeSpan(timezone: string, atMs: number): LocalTimeSpan {
  const calendar = getTimeZoneCalendar(timezone);
  const ranges = known.get(calendar) ?? new Map<number, readonly LocalTimeSpan[]>();
  known.set(calendar, ranges);
  const range = Math.floor(atMs / RANGE_MS);
  let spans = ranges.get(range);
  if (!spans) {
    if (ranges.size >= MAX_KNOWN_RANGES) ranges.clear();
    spans = listSpans(timezone, range * RANGE_MS, calendar.offsetAt(range * RANGE_MS - 1));
    ranges.set(range, spans);
  }
  const found = spans.find(({ endsAt }) => atMs < endsAt);
  if (!found) throw new Error('internal error: no local time span contains the time');
  return found;
}

function listSpans(timezone: string, fromMs: number, offsetBeforeMs: number): readonly LocalTimeSpan[] {
  const spans: LocalTimeSpan[] = [];
  let [startsAt, before] = [fromMs, offsetBeforeMs];
  for (const { until, offsetMs } of listUtcOffsetSpans(timezone, fromMs, fromMs + RANGE_MS)) {
    const endsAt = Math.min(until, fromMs + RANGE_MS);
    if (endsAt > startsAt) spans.push({ startsAt, endsAt, offsetMs, reachedMs: startsAt + before });
    [startsAt, before] = [endsAt, offsetMs];
  }
  return spans;
}

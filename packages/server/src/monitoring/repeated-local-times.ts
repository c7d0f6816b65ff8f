import { getTimeZoneCalendar, type TimeZoneCalendar } from '../core/time-zone-calendar.ts';

const DAY_MS = 86_400_000;
/** By how much clocks are set back when daylight saving time ends. */
const SET_BACK_MS = [30, 60, 120].map((minutes) => minutes * 60_000);
const MAX_KNOWN_DAYS = 1_000;

/** The checks by calendar, so that they are discarded with the calendars. */
const checks = new WeakMap<TimeZoneCalendar, (atMs: number) => boolean>();

/**
 * Returns a function that tells whether the local time at `atMs` already occurred earlier on the same day. This
 * happens after clocks were set back. Times are in Unix milliseconds.
 */
export function getRepeatedLocalTimePredicate(timezone: string): (atMs: number) => boolean {
  const calendar = getTimeZoneCalendar(timezone);
  const check = checks.get(calendar) ?? createCheck(calendar);
  checks.set(calendar, check);
  return check;
}

function createCheck({ offsetAt }: TimeZoneCalendar): (atMs: number) => boolean {
  /** Whether clocks change on a day. Cached, because formatting takes microseconds. */
  const hasChange = new Map<number, boolean>();

  function hasChangeOn(day: number): boolean {
    const known = hasChange.get(day);
    if (known !== undefined) return known;
    const found = offsetAt(day * DAY_MS - Math.max(...SET_BACK_MS)) !== offsetAt((day + 1) * DAY_MS);
    if (hasChange.size >= MAX_KNOWN_DAYS) hasChange.clear();
    hasChange.set(day, found);
    return found;
  }

  return (atMs) => {
    if (!hasChangeOn(Math.floor(atMs / DAY_MS))) return false;
    const offset = offsetAt(atMs);
    return SET_BACK_MS.some((ms) => offsetAt(atMs - ms) - offset === ms);
  };
}

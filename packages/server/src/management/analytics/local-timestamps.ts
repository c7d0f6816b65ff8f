import { getTimeZoneCalendar } from '../../core/time-zone-calendar.ts';

/**
 * Parses a timestamp to Unix milliseconds. A date (`2026-11-21`) means the start of that day in the
 * time zone.
 */
export function parseLocalTimestamp(timezone: string, text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (day === undefined) return Date.parse(text);
  return getTimeZoneCalendar(timezone).startOfDay(Number(year), Number(month) - 1, Number(day));
}

/**
 * Formats Unix milliseconds in a time zone, with the UTC offset: `2026-11-21T13:26:39.665+01:00`.
 */
export function formatLocalTimestamp(timezone: string, atMs: number): string {
  const offsetMs = getTimeZoneCalendar(timezone).offsetAt(atMs);
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const sign = offsetMs < 0 ? '-' : '+';
  const shown = new Date(atMs + offsetMs).toISOString().slice(0, -1);
  return `${shown}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

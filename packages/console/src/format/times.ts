/** Formats times. A component that shows a time also shows its time zone. */

/**
 * Returns the time zone of the browser. Times are displayed in this zone unless the URL sets another one with
 * `tz=`.
 */
export function getBrowserTimeZone(): string {
  const now = Date.now();
  // Cached for one minute, because every time in every row needs the zone and reading it is slow. A
  // traveler’s new zone appears within a minute.
  if (Math.abs(now - askedAt) > 60_000) {
    zone = readBrowserTimeZone();
    askedAt = now;
  }
  return zone;
}

function readBrowserTimeZone(): string {
  try {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    // A browser without a known time zone can return a name that it does not accept, such as `Etc/Unknown`.
    return new Intl.DateTimeFormat('en-GB', { timeZone: timeZone || 'UTC' }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

let zone = 'UTC';
let askedAt = Number.NEGATIVE_INFINITY;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions, name: string): Intl.DateTimeFormat {
  const known = formats.get(`${name} ${zone}`);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
  formats.set(`${name} ${zone}`, made);
  return made;
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** Formats the time as `12:26:39`, or with `ms` as `12:26:39.665`. */
export function formatClockTime(at: Date, zone: string, ms = false): string {
  const text = format(zone, CLOCK, 'clock').format(at);
  return ms ? `${text}.${String(at.getUTCMilliseconds()).padStart(3, '0')}` : text;
}

/** Formats the time as `12:26`. */
export function formatShortTime(at: Date, zone: string): string {
  return formatClockTime(at, zone).slice(0, 5);
}

/** Formats a day as `21 Nov`. Adds the year if it is not the current one. */
export function formatShortDate(at: Date, zone: string, now: Date): string {
  const year = (date: Date) => format(zone, { year: 'numeric' }, 'year').format(date);
  const text = format(zone, { day: 'numeric', month: 'short' }, 'day').format(at);
  return year(at) === year(now) ? text : `${text} ${year(at)}`;
}

/** Formats the date and time with the time zone, as `21 Nov 2026, 12:26:39.665 UTC`. */
export function formatFullDateTime(at: Date, zone: string, ms = false): string {
  const date = format(zone, { day: 'numeric', month: 'short', year: 'numeric' }, 'date').format(at);
  return `${date}, ${formatClockTime(at, zone, ms)} ${formatTimeZoneName(at, zone)}`;
}

/** Formats the day as `Sat 21 Nov 2026`. */
export function formatWeekdayDate(at: Date, zone: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return format(zone, options, 'dayname').format(at).replace(',', '');
}

/** Formats the month as `November 2026`. */
export function formatMonthAndYear(at: Date, zone: string): string {
  return format(zone, { month: 'long', year: 'numeric' }, 'month').format(at);
}

/** Formats the day as `Saturday 21 November`. */
export function formatLongDate(at: Date, zone: string): string {
  return format(zone, { weekday: 'long', day: 'numeric', month: 'long' }, 'longday').format(at);
}

/** Formats a time as `12:26`, or as `21 Nov, 12:26` if it is not on the same day as `now`. */
export function formatTimeOrDateTime(at: Date, zone: string, now: Date): string {
  const day = formatShortDate(at, zone, now);
  const time = formatShortTime(at, zone);
  return day === formatShortDate(now, zone, now) ? time : `${day}, ${time}`;
}

/** Returns the short name of a time zone at that time: `UTC`, `CET`, `GMT+9`. */
export function formatTimeZoneName(at: Date, zone: string): string {
  const parts = format(zone, { timeZoneName: 'short', hour: '2-digit' }, 'zone').formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

const HOUR_MS = 3_600_000;
const RELATIVE_UNITS = [
  { unitMs: 24 * HOUR_MS, name: 'd' },
  { unitMs: HOUR_MS, name: 'h' },
  { unitMs: 60_000, name: 'min' },
  { unitMs: 1000, name: 's' },
] as const;

/**
 * Formats a time relative to `now`: `just now`, `41 s ago`, `9 h ago`, `in 14 h`. Differences of one day or
 * more are shown in days. A future time that is 1 to 10 hours or 1 to 10 days away also has a second unit, as
 * in `in 1 h 37 min`, because `in 1 h` would suggest an earlier time.
 */
export function formatRelativeTime(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const size = Math.abs(ms);
  const [unit, smaller] = RELATIVE_UNITS.filter(({ unitMs }) => size >= unitMs);
  if (!unit) return 'just now';
  const count = Math.floor(size / unit.unitMs);
  const text = `${count} ${unit.name}`;
  if (ms >= 0) return `${text} ago`;
  const rest = smaller ? Math.floor((size % unit.unitMs) / smaller.unitMs) : 0;
  const isExact = rest === 0 || count >= 10 || unit.unitMs < HOUR_MS;
  return isExact ? `in ${text}` : `in ${text} ${rest} ${smaller?.name}`;
}

interface Unit {
  readonly ms: number;
  readonly name: string;
}
const SECOND: Unit = { ms: 1_000, name: 's' };
const MINUTE: Unit = { ms: 60 * SECOND.ms, name: 'min' };
const HOUR: Unit = { ms: 60 * MINUTE.ms, name: 'h' };
const DAY: Unit = { ms: 24 * HOUR.ms, name: 'd' };

/** Formats a duration in milliseconds with its two largest units: `3 h 24 min`, `41 s`. */
export function formatBoardDuration(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / SECOND.ms)) * SECOND.ms;
  if (whole < MINUTE.ms) return `${whole / SECOND.ms} s`;
  if (whole < HOUR.ms) return formatTwoUnits(whole, MINUTE, SECOND);
  if (whole < DAY.ms) return formatTwoUnits(whole, HOUR, MINUTE);
  return formatTwoUnits(whole, DAY, HOUR);
}

function formatTwoUnits(ms: number, large: Unit, small: Unit): string {
  const rest = Math.floor((ms % large.ms) / small.ms);
  return `${Math.floor(ms / large.ms)} ${large.name}${rest === 0 ? '' : ` ${rest} ${small.name}`}`;
}

/**
 * Formats a ratio as a percentage with three decimals, rounded down. 100% therefore means that no
 * beat was missed.
 */
export function formatUptimePercent(ratio: number): string {
  if (ratio >= 1) return '100%';
  return `${(Math.floor(ratio * 100_000) / 1_000).toFixed(3)}%`;
}

/** Formats times in one time zone. */
export interface TimeZoneDateFormatter {
  /** `15 Nov 2026` */
  date(ms: number): string;
  /** `12:26` */
  time(ms: number): string;
  /** `12:26:41 CET` */
  timeWithZone(ms: number): string;
  /** `12:26`, or `15 Nov, 12:26` on another day than `nowMs`. */
  timeOrDateTime(ms: number, nowMs: number): string;
  /** `15 Nov 2026, 12:26 CET` */
  dateTime(ms: number): string;
  /** `12:26 – 14:00 CET`; the end has its date if it is on another day. */
  timeRange(fromMs: number, toMs: number): string;
}

const MAX_CACHED_ZONES = 50;
const MAX_CACHED_DATES = 200;
const formatters = new Map<string, TimeZoneDateFormatter>();

/**
 * Returns the formatter for a time zone. It is cached, because creating one takes longer than
 * rendering a page.
 */
export function getTimeZoneDateFormatter(timeZone: string): TimeZoneDateFormatter {
  const found = formatters.get(timeZone);
  if (found) return found;
  const date = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' });
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  const exact = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
  const zone = (ms: number) =>
    exact.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  /** A page with many monitors formats the same days thousands of times. */
  const dates = new Map<number, string>();
  const words: TimeZoneDateFormatter = {
    date: (ms) => {
      const known = dates.get(ms);
      if (known !== undefined) return known;
      if (dates.size >= MAX_CACHED_DATES) dates.clear();
      const text = date.format(ms);
      dates.set(ms, text);
      return text;
    },
    time: (ms) => time.format(ms),
    timeWithZone: (ms) => exact.format(ms),
    timeOrDateTime: (ms, nowMs) =>
      date.format(ms) === date.format(nowMs) ? time.format(ms) : `${day.format(ms)}, ${time.format(ms)}`,
    dateTime: (ms) => `${date.format(ms)}, ${time.format(ms)} ${zone(ms)}`,
    timeRange: (from, to) =>
      date.format(from) === date.format(to)
        ? `${time.format(from)} – ${time.format(to)} ${zone(to)}`
        : `${time.format(from)} – ${day.format(to)}, ${time.format(to)} ${zone(to)}`,
  };
  if (formatters.size >= MAX_CACHED_ZONES) formatters.clear();
  formatters.set(timeZone, words);
  return words;
}

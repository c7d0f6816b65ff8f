const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time in its two largest units: `3 h 24 m`, `41 s`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / SECOND_MS)) * SECOND_MS;
  if (whole < MINUTE_MS) return `${whole / SECOND_MS} s`;
  if (whole < HOUR_MS) return two(whole, MINUTE_MS, 'm', SECOND_MS, 's');
  if (whole < DAY_MS) return two(whole, HOUR_MS, 'h', MINUTE_MS, 'm');
  return two(whole, DAY_MS, 'd', HOUR_MS, 'h');
}

function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

/** A share in percent with three decimals, rounded down: 100% is said only of the whole. */
export function percentText(ratio: number): string {
  if (ratio >= 1) return '100%';
  return `${(Math.floor(ratio * 100_000) / 1_000).toFixed(3)}%`;
}

/** Words of a time zone for instants. */
export interface ZoneText {
  /** `15 Nov 2026` */
  date(ms: number): string;
  /** `12:26` */
  time(ms: number): string;
  /** `12:26:41 CET` */
  exact(ms: number): string;
  /** `12:26`, or `15 Nov, 12:26` on another day than `nowMs`. */
  when(ms: number, nowMs: number): string;
  /** `15 Nov 2026, 12:26 CET` */
  full(ms: number): string;
  /** `12:26 – 14:00 CET`; the end with its day where it is another one. */
  span(fromMs: number, toMs: number): string;
}

const KEPT = 50;
const known = new Map<string, ZoneText>();

/** The words of a zone; making them costs more than a page, so they are kept. */
export function zoneText(timeZone: string): ZoneText {
  const found = known.get(timeZone);
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
  const words: ZoneText = {
    date: (ms) => date.format(ms),
    time: (ms) => time.format(ms),
    exact: (ms) => exact.format(ms),
    when: (ms, nowMs) =>
      date.format(ms) === date.format(nowMs) ? time.format(ms) : `${day.format(ms)}, ${time.format(ms)}`,
    full: (ms) => `${date.format(ms)}, ${time.format(ms)} ${zone(ms)}`,
    span: (from, to) =>
      date.format(from) === date.format(to)
        ? `${time.format(from)} – ${time.format(to)} ${zone(to)}`
        : `${time.format(from)} – ${day.format(to)}, ${time.format(to)} ${zone(to)}`,
  };
  if (known.size >= KEPT) known.clear();
  known.set(timeZone, words);
  return words;
}

/** `2 days`, `1 day`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

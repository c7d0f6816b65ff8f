/**
 * Formats numbers for the console. All functions are pure, so that charts, tables and tests show the same
 * text.
 */

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Formats a count, such as `16,204`. Counts from ten million are shortened, such as `16.2M`. */
export function formatCount(value: number): string {
  return Math.abs(value) < 10_000_000 ? grouped.format(value) : formatCompactNumber(value);
}

/** Formats a number in short form for tiles and axes, such as `842`, `18.2k` or `1.24M`. */
export function formatCompactNumber(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return grouped.format(value);
  if (size < 999_950) return `${(value / 1000).toFixed(size < 99_950 ? 1 : 0)}k`;
  if (size < 999_950_000) return `${(value / 1e6).toFixed(size < 9_995_000 ? 2 : 1)}M`;
  return `${(value / 1e9).toFixed(2)}B`;
}

/** Formats a token count like `formatCompactNumber`. Null means that the count is unknown, and becomes `–`. */
export function formatTokens(value: number | null): string {
  return value === null ? '–' : formatCompactNumber(value);
}

/**
 * Formats nano-USD as dollars. An amount above 0 is never shown as `$0`. Null means that the cost is unknown,
 * and becomes `unknown`.
 */
export function formatMoney(nanoUsd: number | null): string {
  if (nanoUsd === null) return 'unknown';
  if (nanoUsd === 0) return '$0';
  const sign = nanoUsd < 0 ? '-' : '';
  const size = Math.abs(nanoUsd);
  if (size < 1000) return `${sign}< $0.000001`;
  const decimals = size >= 1e9 ? 2 : size >= 1e6 ? 4 : 6;
  const text = (size / 1e9).toFixed(decimals).replace(/(\.\d{4}.*?)0+$/, '$1');
  const [whole = '0', fraction = ''] = text.split('.');
  return `${sign}$${grouped.format(Number(whole))}.${fraction}`;
}

/**
 * Formats nano-USD as an exact dollar amount such as `$0.024388`, including fractions of a nano-dollar. Used
 * for tooltips and for copying.
 */
export function formatExactMoney(nanoUsd: number): string {
  const [nano = '', part = ''] = Math.abs(nanoUsd).toFixed(3).split('.');
  const digits = nano.padStart(10, '0');
  const fraction = (digits.slice(-9) + part).replace(/0+$/, '');
  return `${nanoUsd < 0 ? '-' : ''}$${grouped.format(Number(digits.slice(0, -9)))}${fraction && `.${fraction}`}`;
}

/** Formats a price in USD per million tokens, with two to four decimals. */
export function formatPrice(usdPerMillion: number): string {
  const text = usdPerMillion.toFixed(4).replace(/0{1,2}$/, '');
  return text;
}

/**
 * Formats a ratio as a percentage, such as `12.3%`, `1.93%` or `0.041%`. Percentages have one decimal from 10%,
 * two decimals from 0.1%, and two significant digits below.
 */
export function formatPercent(ratio: number): string {
  const value = ratio * 100;
  const size = Math.abs(value);
  if (size === 0) return '0%';
  if (size >= 99.995) return `${Math.round(value)}%`;
  if (size >= 10) return `${value.toFixed(1)}%`;
  if (size >= 0.1) return `${value.toFixed(2)}%`;
  return `${Number(value.toPrecision(2))}%`;
}

/** Formats an uptime ratio. Rounds down to three decimals, so that `100%` means no downtime. */
export function formatUptime(ratio: number): string {
  if (ratio >= 1) return '100%';
  return `${(Math.floor(ratio * 100_000 + 1e-7) / 1000).toFixed(3)}%`;
}

/**
 * Formats a duration in milliseconds: `0.9 ms`, `612 ms`, `6.87 s`, `30.4 s`, `2 min 41 s`, `3 h 51 min`, `6 d
 * 4 h`. Null means that the duration is unknown, and becomes `–`.
 */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '–';
  if (ms === 0) return '0 ms';
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return inUnits(seconds, MINUTE, SECOND);
  if (seconds < 86_400) return inUnits(seconds, HOUR, MINUTE);
  return inUnits(seconds, DAY, HOUR);
}

interface Unit {
  readonly seconds: number;
  readonly name: string;
}
const SECOND: Unit = { seconds: 1, name: 's' };
const MINUTE: Unit = { seconds: 60, name: 'min' };
const HOUR: Unit = { seconds: 3600, name: 'h' };
const DAY: Unit = { seconds: 86_400, name: 'd' };

function inUnits(seconds: number, large: Unit, small: Unit): string {
  const whole = Math.floor(seconds / large.seconds);
  const rest = Math.floor((seconds % large.seconds) / small.seconds);
  return rest === 0 ? `${whole} ${large.name}` : `${whole} ${large.name} ${rest} ${small.name}`;
}

/** Shortens an ID of more than 16 characters to its first ten and last four characters. */
export function shortenId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 10)}…${id.slice(-4)}`;
}

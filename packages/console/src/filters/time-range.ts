import { type DurationInput, parseDurationInput, toDurationMs } from '../format/duration-input.ts';

/** The time range of a page, from `range=24h` or from `from=` and `to=` in the URL. Pure. */

/** A time range, either absolute or relative to the current time. */
export interface SelectedTimeRange {
  readonly from: Date;
  readonly to: Date;
  /** The relative range, such as `24h`. Null for an absolute range. */
  readonly range: string | null;
}

/** The time ranges that the picker offers. */
export const TIME_RANGE_PRESETS = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
] as const;

const MOST_MS = 400 * 86_400_000;

/** Parses `45m`, `3d` or `last 3 days`. Returns null for other text. */
function rangeIn(text: string): DurationInput | null {
  const length = parseDurationInput(text.replace(/^\s*last\s+/i, ''));
  if (length === null || length.unit === 's') return null;
  const ms = toDurationMs(length);
  return ms > 0 && ms <= MOST_MS ? length : null;
}

/**
 * Returns the length of a relative range such as `24h` in milliseconds. Returns null if the text is not a range
 * or is longer than 400 days.
 */
export function parseRelativeTimeRangeMs(text: string): number | null {
  const length = rangeIn(text);
  return length && toDurationMs(length);
}

/**
 * Returns the short form of a range that URLs contain, such as `45m` for `45 minutes`. Returns null if the
 * text is not a range.
 */
export function normalizeRelativeTimeRange(text: string): string | null {
  const length = rangeIn(text);
  return length && `${length.amount}${length.unit}`;
}

/** Returns the time range of a query. Uses the range `defaultRange` if the query has no valid time range. */
export function resolveTimeRange(query: URLSearchParams, now: Date, defaultRange = '24h'): SelectedTimeRange {
  const from = momentOf(query.get('from'));
  const to = momentOf(query.get('to'));
  if (from && (!to || to > from)) return { from, to: to ?? now, range: null };
  const range = normalizeRelativeTimeRange(query.get('range') ?? '') ?? defaultRange;
  return { from: new Date(now.getTime() - (parseRelativeTimeRangeMs(range) ?? 0)), to: now, range };
}

/** Returns the time range as of `now`. A relative range moves with the time. */
export function advanceTimeRange(span: SelectedTimeRange, now: Date): SelectedTimeRange {
  if (span.range === null) return span;
  return { ...span, from: new Date(now.getTime() - (parseRelativeTimeRangeMs(span.range) ?? 0)), to: now };
}

/**
 * Converts a time range to query parameters of the API. For a relative range, omits the end, so that new
 * requests are included.
 */
export function toTimeRangeParameters({ from, to, range }: SelectedTimeRange): Record<string, string> {
  return { from: from.toISOString(), ...(range === null ? { to: to.toISOString() } : {}) };
}

/** Returns the parameters of a link to a page with the same time range. A relative range stays relative. */
export function toTimeRangeLinkParameters({ from, to, range }: SelectedTimeRange): Record<string, string> {
  return range === null ? { from: from.toISOString(), to: to.toISOString() } : { range };
}

/**
 * Splits parameters with a relative time range into those without a start, and the length of the range. Charts and
 * totals of the last hour then follow the time while the page is open.
 */
export function splitRelativeTimeRange<Value>(
  parameters: Readonly<Record<string, Value>>,
  { range }: SelectedTimeRange,
): readonly [parameters: Readonly<Record<string, Value>>, lastMs?: number] {
  const lastMs = range === null ? null : parseRelativeTimeRangeMs(range);
  if (lastMs === null) return [parameters];
  const { from: _, ...others } = parameters;
  return [others, lastMs];
}

function momentOf(text: string | null): Date | null {
  if (text === null) return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Returns a label such as `Last hour` or `Last 45 minutes`, or null for an absolute range. */
export function formatTimeRangeLabel({ range }: SelectedTimeRange): string | null {
  if (range === null) return null;
  const preset = TIME_RANGE_PRESETS.find(([name]) => name === range);
  if (preset) return preset[1];
  const length = rangeIn(range);
  if (length === null) return null;
  const word = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' }[length.unit];
  return `Last ${length.amount} ${word}${length.amount === 1 ? '' : 's'}`;
}

/**
 * Selects the length of a chart’s intervals for a time range, so that the chart does not have too many
 * points.
 */
export function chooseChartInterval({ from, to }: SelectedTimeRange): 'minute' | 'hour' | 'day' {
  const ms = to.getTime() - from.getTime();
  if (ms <= 3 * 3_600_000) return 'minute';
  return ms <= 8 * 86_400_000 ? 'hour' : 'day';
}

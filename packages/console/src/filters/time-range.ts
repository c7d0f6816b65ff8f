import { type DurationInput, durationInputMs, toDurationInput } from '../format/duration-input.ts';

/** The range of time a page shows: `range=24h` in the URL, or `from=` and `to=`. Pure. */

export interface SelectedTimeRange {
  readonly from: Date;
  readonly to: Date;
  /** Null for an absolute one. */
  readonly range: string | null;
}

export const TIME_RANGE_PRESETS = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
] as const;

const MOST_MS = 400 * 86_400_000;

/** `45m`, `3d`, `last 3 days`; null for anything else. */
function rangeIn(text: string): DurationInput | null {
  const length = toDurationInput(text.replace(/^\s*last\s+/i, ''));
  if (length === null || length.unit === 's') return null;
  const ms = durationInputMs(length);
  return ms > 0 && ms <= MOST_MS ? length : null;
}

/** Milliseconds of a range; null for what is none. */
export function parseRangeMs(text: string): number | null {
  const length = rangeIn(text);
  return length && durationInputMs(length);
}

/** The short form that stands in the URL: `45 minutes` becomes `45m`. */
export function normalizeRange(text: string): string | null {
  const length = rangeIn(text);
  return length && `${length.amount}${length.unit}`;
}

/** What a query says; without a word of time, or with a broken one, `standard`. */
export function resolveTimeRange(query: URLSearchParams, now: Date, standard = '24h'): SelectedTimeRange {
  const from = momentOf(query.get('from'));
  const to = momentOf(query.get('to'));
  if (from && (!to || to > from)) return { from, to: to ?? now, range: null };
  const range = normalizeRange(query.get('range') ?? '') ?? standard;
  return { from: new Date(now.getTime() - (parseRangeMs(range) ?? 0)), to: now, range };
}

/** The span as the API is asked for it. One that goes on until now has no end, so that what arrives is counted. */
export function timeRangeQuery({ from, to, range }: SelectedTimeRange): Record<string, string> {
  return { from: from.toISOString(), ...(range === null ? { to: to.toISOString() } : {}) };
}

function momentOf(text: string | null): Date | null {
  if (text === null) return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** The name people read: `Last hour`, `Last 45 minutes`; null for an absolute span. */
export function timeRangeLabel({ range }: SelectedTimeRange): string | null {
  if (range === null) return null;
  const preset = TIME_RANGE_PRESETS.find(([name]) => name === range);
  if (preset) return preset[1];
  const length = rangeIn(range);
  if (length === null) return null;
  const word = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' }[length.unit];
  return `Last ${length.amount} ${word}${length.amount === 1 ? '' : 's'}`;
}

/** The interval of charts over a span: few enough points to read, of the three the API has. */
export function chooseChartInterval({ from, to }: SelectedTimeRange): 'minute' | 'hour' | 'day' {
  const ms = to.getTime() - from.getTime();
  if (ms <= 3 * 3_600_000) return 'minute';
  return ms <= 8 * 86_400_000 ? 'hour' : 'day';
}

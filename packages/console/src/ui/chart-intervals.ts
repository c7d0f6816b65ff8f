import { formatFullDateTime, formatWeekdayDate, getBrowserTimeZone } from '../format/times.ts';

/** The intervals on the time axis of a chart. */
export interface ChartIntervals {
  /** Start of each interval, in milliseconds since the epoch. */
  readonly at: readonly number[];
  readonly zone?: string;
  /** Whether each interval is a day in the time zone `zone`. */
  readonly isDaily?: boolean;
  /** End of the last interval, in milliseconds since the epoch. */
  readonly until?: number;
}

/** Returns the end of the interval at `index`, in milliseconds since the epoch. */
export function computeIntervalEnd({ at, until }: ChartIntervals, index: number): number {
  const step = (at[1] ?? 0) - (at[0] ?? 0) || 60_000;
  return at[index + 1] ?? until ?? (at[index] ?? 0) + step;
}

const HOUR_MS = 3_600_000;

/**
 * Returns the label of an interval: its start, or its day if each interval is a day. For a day on which
 * daylight saving time starts or ends, adds the length of the day.
 */
export function formatIntervalLabel(intervals: ChartIntervals, index: number): string {
  const { at, zone = getBrowserTimeZone(), isDaily = false } = intervals;
  const moment = new Date(at[index] ?? 0);
  if (!isDaily) return formatFullDateTime(moment, zone);
  const next = at[index + 1];
  const hours = next === undefined ? 24 : Math.round((next - moment.getTime()) / HOUR_MS);
  return `${formatWeekdayDate(moment, zone)}${hours === 24 ? '' : ` (${hours} h)`}`;
}

import { browserZone, formatDayName, formatFullTime } from '../format/times.ts';

/** What stands along the time of a chart. */
export interface ChartIntervals {
  /** Start of each, in milliseconds. */
  readonly at: readonly number[];
  readonly zone?: string;
  /** Each is a day of that zone. */
  readonly isDaily?: boolean;
  /** Where the last one ends. */
  readonly until?: number;
}

/** Where an interval ends. */
export function computeIntervalEnd({ at, until }: ChartIntervals, index: number): number {
  const step = (at[1] ?? 0) - (at[0] ?? 0) || 60_000;
  return at[index + 1] ?? until ?? (at[index] ?? 0) + step;
}

const HOUR_MS = 3_600_000;

/** When an interval begins; a day by its name, with its length where clocks change. */
export function intervalLabel(intervals: ChartIntervals, index: number): string {
  const { at, zone = browserZone(), isDaily = false } = intervals;
  const moment = new Date(at[index] ?? 0);
  if (!isDaily) return formatFullTime(moment, zone);
  const next = at[index + 1];
  const hours = next === undefined ? 24 : Math.round((next - moment.getTime()) / HOUR_MS);
  return `${formatDayName(moment, zone)}${hours === 24 ? '' : ` (${hours} h)`}`;
}

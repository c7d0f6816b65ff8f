import { browserZone, dayName, fullTime } from '../format/moments.ts';

/** What stands along the time of a chart. */
export interface Intervals {
  /** Start of each, in milliseconds. */
  readonly at: readonly number[];
  readonly zone?: string;
  /** Each is a day of that zone. */
  readonly isDaily?: boolean;
  /** Where the last one ends. */
  readonly until?: number;
}

/** Where an interval ends. */
export function endOf({ at, until }: Intervals, index: number): number {
  const step = (at[1] ?? 0) - (at[0] ?? 0) || 60_000;
  return at[index + 1] ?? until ?? (at[index] ?? 0) + step;
}

const HOUR_MS = 3_600_000;

/** When an interval begins; a day by its name, with its length where clocks change. */
export function intervalName(intervals: Intervals, index: number): string {
  const { at, zone = browserZone(), isDaily = false } = intervals;
  const moment = new Date(at[index] ?? 0);
  if (!isDaily) return fullTime(moment, zone);
  const next = at[index + 1];
  const hours = next === undefined ? 24 : Math.round((next - moment.getTime()) / HOUR_MS);
  return `${dayName(moment, zone)}${hours === 24 ? '' : ` (${hours} h)`}`;
}

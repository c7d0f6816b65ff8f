import {
  getTimeZoneCalendar,
  listLocalDays,
  listUtcOffsetSpans,
  type UtcOffsetSpan,
} from '../core/time-zone-calendar.ts';
import type { PartialRange } from '../store/rollups/partial-range.ts';

const DAY_MS = 86_400_000;

interface Range {
  /** Start of the range, inclusive, in Unix milliseconds. */
  readonly from: number;
  /** End of the range, exclusive, in Unix milliseconds. */
  readonly to: number;
}

/**
 * The intervals of a chart. If an interval is a day, it begins at midnight in the time zone of the chart. Such a
 * day has 23 or 25 hours when daylight saving time starts or ends.
 */
export interface ChartGrid {
  readonly stepMs: number;
  /** The UTC offsets from which SQL computes the interval of a time. Undefined for UTC. */
  readonly offsets: readonly UtcOffsetSpan[] | undefined;
  /** Start of each interval. The first start may be before the range. */
  readonly starts: readonly number[];
  /** Local time at each start, encoded as if it were UTC. */
  readonly localStarts: readonly number[];
}

/**
 * Returns the chart intervals that overlap a range. Intervals of minutes and hours are aligned to UTC,
 * regardless of the time zone.
 */
export function buildChartGrid({ from, to }: Range, stepMs: number, timezone: string): ChartGrid {
  if (stepMs !== DAY_MS || timezone === 'UTC') {
    const first = from - (from % stepMs);
    const count = Math.max(0, Math.ceil((to - first) / stepMs));
    const starts = Array.from({ length: count }, (_, n) => first + n * stepMs);
    return { stepMs, offsets: undefined, starts, localStarts: starts };
  }
  const days = listLocalDays(timezone, from, to);
  return {
    stepMs,
    offsets: listUtcOffsetSpans(timezone, from - DAY_MS, to + DAY_MS),
    starts: days.map(({ startsAt }) => startsAt),
    localStarts: days.map(({ localMidnight }) => localMidnight),
  };
}

/**
 * A part of a rollup unit whose rows belong to a different interval from the one in which the unit starts. A
 * null interval means that the rows are outside the range.
 */
export interface IntervalReassignment extends PartialRange {
  readonly fromInterval: number | null;
  readonly toInterval: number | null;
}

/**
 * Returns the parts of rollup units whose rows belong to another interval, so that the sums of whole units
 * can be corrected. Such a part exists if the range or an interval starts or ends within a unit.
 */
export function findIntervalReassignments(
  { from, to }: Range,
  unitMs: number,
  grid: ChartGrid,
): IntervalReassignment[] {
  const { starts, localStarts, offsets = [] } = grid;
  const placeOf = new Map(localStarts.map((reading, place) => [reading, place]));
  const ownerOf = (unitAt: number) => {
    const offsetMs = offsets.find(({ until }) => unitAt < until)?.offsetMs ?? 0;
    const reading = unitAt + unitMs / 2 + offsetMs;
    return placeOf.get(reading - (reading % grid.stepMs)) ?? null;
  };
  const belongsTo = (at: number) =>
    at < from || at >= to ? null : starts.findLastIndex((start) => start <= at);
  const within = [from, to, ...starts.slice(1)].filter((at) => at % unitMs !== 0);
  const moves: IntervalReassignment[] = [];
  for (const [unitAt, cuts] of Map.groupBy(within, (at) => at - (at % unitMs))) {
    const takenFrom = ownerOf(unitAt);
    const edges = [...new Set([unitAt, ...cuts.sort((one, other) => one - other), unitAt + unitMs])];
    for (const [at, edge] of edges.slice(0, -1).entries()) {
      const givenTo = belongsTo(edge);
      if (givenTo !== takenFrom)
        moves.push({ from: edge, to: edges[at + 1] ?? edge, fromInterval: takenFrom, toInterval: givenTo });
    }
  }
  return moves;
}

/** Extends a range to whole rollup units. */
export function alignToUnits({ from, to }: Range, unitMs: number): Range {
  return { from: from - (from % unitMs), to: Math.ceil(to / unitMs) * unitMs };
}

/** Returns the parts that `alignToUnits` adds before and after the range. Omits empty parts. */
export function findPartialRangesAround(range: Range, unitMs: number): PartialRange[] {
  const { from, to } = alignToUnits(range, unitMs);
  return [
    { from, to: range.from },
    { from: range.to, to },
  ].filter((piece) => piece.from < piece.to);
}

/** The earliest time that a response can contain, because years have four digits (RFC 3339, section 5.6). */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');

/**
 * Returns the range of the same length that ends where the given one starts, but not before the
 * year 0. If the given range consists of whole days in its time zone, the previous range has the
 * same number of days.
 */
export function computePreviousRange({ from, to }: Range, timezone: string): Range {
  const { dateAt, startOfDay } = getTimeZoneCalendar(timezone);
  const [first, last] = [dateAt(from), dateAt(to)];
  const isWhole =
    startOfDay(first.year, first.month, first.day) === from &&
    startOfDay(last.year, last.month, last.day) === to;
  if (!isWhole) return { from: Math.max(FIRST_MS, from - (to - from)), to: from };
  const days =
    (Date.UTC(last.year, last.month, last.day) - Date.UTC(first.year, first.month, first.day)) / DAY_MS;
  return { from: Math.max(FIRST_MS, startOfDay(first.year, first.month, first.day - days)), to: from };
}

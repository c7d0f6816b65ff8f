import {
  getTimeZoneCalendar,
  localDaysInRange,
  type UtcOffsetSpan,
  utcOffsetSpans,
} from '../core/time-zone-calendar.ts';
import type { PartialRange } from '../store/rollups/partial-range.ts';

const DAY_MS = 86_400_000;

interface Range {
  /** Milliseconds, included. */
  readonly from: number;
  /** Milliseconds, not included. */
  readonly to: number;
}

/** The intervals of a chart. Days are those of a time zone, 23 or 25 hours long where its clocks change. */
export interface ChartGrid {
  readonly stepMs: number;
  /** What SQL needs to tell the interval of a moment; absent in UTC. */
  readonly offsets: readonly UtcOffsetSpan[] | undefined;
  /** Start of each interval; of the first one, it may lie before the range. */
  readonly starts: readonly number[];
  /** What the zone's clocks show at each start, as if it were UTC. */
  readonly localStarts: readonly number[];
}

/** The intervals that a range touches. Minutes and hours are those of UTC in every zone. */
export function buildChartGrid({ from, to }: Range, stepMs: number, timezone: string): ChartGrid {
  if (stepMs !== DAY_MS || timezone === 'UTC') {
    const first = from - (from % stepMs);
    const count = Math.max(0, Math.ceil((to - first) / stepMs));
    const starts = Array.from({ length: count }, (_, n) => first + n * stepMs);
    return { stepMs, offsets: undefined, starts, localStarts: starts };
  }
  const days = localDaysInRange(timezone, from, to);
  return {
    stepMs,
    offsets: utcOffsetSpans(timezone, from - DAY_MS, to + DAY_MS),
    starts: days.map(({ startsAt }) => startsAt),
    localStarts: days.map(({ localMidnight }) => localMidnight),
  };
}

/** A piece of time whose rows are counted in another interval than the one their unit begins in; null is none. */
export interface IntervalReassignment extends PartialRange {
  readonly fromInterval: number | null;
  readonly toInterval: number | null;
}

/**
 * What makes sums of whole units exact: where a range or one of its intervals begins or ends within a unit, the
 * pieces of that unit which belong elsewhere. Nothing for what begins and ends where units do.
 */
export function findReassignments(
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

/** Whole units around a range. */
export function alignToUnits({ from, to }: Range, unitMs: number): Range {
  return { from: from - (from % unitMs), to: Math.ceil(to / unitMs) * unitMs };
}

/** The pieces of the units around a range that are not in it. */
export function partialRangesAround(range: Range, unitMs: number): PartialRange[] {
  const { from, to } = alignToUnits(range, unitMs);
  return [
    { from, to: range.from },
    { from: range.to, to },
  ].filter((piece) => piece.from < piece.to);
}

/** What answers can write: a year has four digits (RFC 3339, 5.6). */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');

/** The range of the same length just before, as far as there is time before: as many days, if it is whole days of its zone. */
export function previousRange({ from, to }: Range, timezone: string): Range {
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

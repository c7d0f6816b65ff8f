import type { ADDITIVE_CHART_METRICS, AnalyticsMetrics, CHART_METRICS } from '@floe/contract/api/charts';
import type { SqlCondition } from '../store/exchange-filters.ts';
import { estimatePercentileMs } from '../store/rollups/histogram-buckets.ts';
import type { PartialRangeSums } from '../store/rollups/partial-range.ts';
import { sumPartialRanges } from '../store/rollups/partial-range-sums.ts';
import {
  getRollupTotals,
  listRollupIntervalSums,
  listRollupIntervalSumsByValue,
  listTopRollupValues,
  type RollupFacet,
  type RollupIntervalSums,
  type RollupRequest,
} from '../store/rollups/read-rollups.ts';
import { HOUR_MS, MINUTE_MS } from '../store/rollups/rollup-accumulator.ts';
import {
  FIRST_TOKEN_BUCKET_COLUMNS,
  LATENCY_BUCKET_COLUMNS,
  ROLLUP_FIGURE_COLUMNS,
  type RollupFigureColumn,
  type RollupSumColumn,
} from '../store/rollups/rollup-figures.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import {
  alignToUnits,
  buildChartGrid,
  type ChartGrid,
  findIntervalReassignments,
  findPartialRangesAround,
  type IntervalReassignment,
} from './chart-grid.ts';
import { createZeroSums, queryRowSumsByInterval, queryRowSumsByValue } from './row-sums.ts';
import {
  type AdditiveAnalyticsMetrics,
  SUM_COLUMN_COUNT,
  toAdditiveAnalyticsMetrics,
  toAnalyticsMetrics,
} from './summary-figures.ts';

export type ChartMetric = (typeof CHART_METRICS)[number];

/** A request for chart data: its time range, its filters and its rollup unit. */
export interface ChartRequest extends RollupRequest {
  /** Filters that rollups do not support. The number of matching rows must be limited (`chooseChartRowCondition`). */
  readonly conditions?: readonly SqlCondition[] | undefined;
}

/** A request for one metric over time, as one or several series. */
export interface ChartSeriesRequest extends ChartRequest {
  readonly metric: ChartMetric;
  readonly stepMs: number;
  /** The time zone whose days are used. UTC if it is absent. */
  readonly timezone?: string | undefined;
  readonly groupBy?: RollupFacet | undefined;
  /** Maximum number of series. The remaining values are added up in one more series. */
  readonly limit: number;
  /** The values to return, instead of those with the largest sums. */
  readonly onlyValues?: readonly string[] | undefined;
}

/** One series of a chart. */
export interface ChartSeries {
  /** '' for requests without a value; null for the total and for the remaining values. */
  readonly value: string | null;
  readonly other: boolean;
  /** One value per interval of the range, in order. Null if a percentile has no requests. */
  readonly values: (number | null)[];
}

/** The histogram and the percentile of each percentile metric. */
const PERCENTILES: ReadonlyMap<
  ChartMetric,
  { readonly buckets: readonly RollupFigureColumn[]; readonly share: number }
> = new Map([
  ['latency_p50_ms', { buckets: LATENCY_BUCKET_COLUMNS, share: 0.5 }],
  ['latency_p95_ms', { buckets: LATENCY_BUCKET_COLUMNS, share: 0.95 }],
  ['latency_p99_ms', { buckets: LATENCY_BUCKET_COLUMNS, share: 0.99 }],
  ['first_token_p50_ms', { buckets: FIRST_TOKEN_BUCKET_COLUMNS, share: 0.5 }],
  ['first_token_p95_ms', { buckets: FIRST_TOKEN_BUCKET_COLUMNS, share: 0.95 }],
  ['first_token_p99_ms', { buckets: FIRST_TOKEN_BUCKET_COLUMNS, share: 0.99 }],
]);

/** Returns whether a metric is a percentile. Percentiles are computed from a histogram instead of sums. */
export function isPercentileMetric(metric: ChartMetric): boolean {
  return PERCENTILES.has(metric);
}

const UNIT_MS = { minute: MINUTE_MS, hour: HOUR_MS };

/** Returns the exact sums over all requests of a range. */
export async function queryChartSummary(
  reader: DatabaseReader,
  request: ChartRequest,
): Promise<AnalyticsMetrics> {
  const figures = ROLLUP_FIGURE_COLUMNS;
  if (request.conditions) {
    const [all] = await queryRowSumsByValue(reader, { ...request, figures });
    return toAnalyticsMetrics(all?.sums ?? []);
  }
  const { around, ranges } = wholeUnits(request);
  // Read first: a request that arrives between the reads is counted, and no difference is negative.
  const outside = await sumPartialRanges(reader, { ...request, ranges, groupBy: [], figures });
  const total = await getRollupTotals(reader, { ...around, figures });
  for (const { sums } of outside) subtractFrom(total, sums);
  return toAnalyticsMetrics(total);
}

/** A request for the facet values that have the largest sums. */
export interface TopValuesRequest extends ChartRequest {
  readonly groupBy: RollupFacet;
  readonly order: RollupSumColumn;
  readonly limit: number;
  readonly onlyValues?: readonly string[] | undefined;
  /** A prefix to which the values are restricted. */
  readonly prefix?: string | undefined;
}

/**
 * Returns the facet values with the largest sums, in descending order of their sums. The sums of whole rollup
 * units determine which values are returned.
 */
export async function queryTopValues(
  reader: DatabaseReader,
  request: TopValuesRequest,
): Promise<{ readonly value: string; readonly figures: AdditiveAnalyticsMetrics }[]> {
  const { groupBy, order } = request;
  const figures = ROLLUP_FIGURE_COLUMNS.slice(0, SUM_COLUMN_COUNT);
  if (request.conditions) return queryTopValuesFromRows(reader, request, figures);
  const { around, ranges } = wholeUnits(request);
  const outside = await sumPartialRanges(reader, { ...request, ranges, groupBy: [groupBy], figures });
  const found = await listTopRollupValues(reader, { ...around, figures });
  const byValue = Map.groupBy(outside, ({ values }) => values[0] ?? '');
  return found
    .map(({ value, sums }) => {
      const left = [...sums];
      for (const piece of byValue.get(value) ?? []) subtractFrom(left, piece.sums);
      return {
        value,
        figures: toAdditiveAnalyticsMetrics(left),
        rank: left[ROLLUP_FIGURE_COLUMNS.indexOf(order)] ?? 0,
      };
    })
    .filter(({ figures: { requests } }) => requests > 0)
    .sort((one, other) => other.rank - one.rank)
    .map(({ value, figures: sums }) => ({ value, figures: sums }));
}

/** Returns a metric over time: the total, or the largest groups and the sum of all others. */
export async function queryChartSeries(
  reader: DatabaseReader,
  request: ChartSeriesRequest,
): Promise<ChartSeries[]> {
  const { metric, groupBy } = request;
  const figures = figuresFor(metric);
  if (request.conditions) return querySeriesFromRows(reader, request, figures);
  const grid = buildChartRequestGrid(request);
  const { around } = wholeUnits(request);
  const moves = findIntervalReassignments(request, UNIT_MS[request.unit], grid);
  const groups = groupBy === undefined ? [] : [groupBy];
  const moved = await sumPartialRanges(reader, { ...request, ranges: moves, groupBy: groups, figures });
  const rows = await listRollupIntervalSums(reader, { ...around, ...grid, figures });
  const total = sumsPerStep(rows, grid, figures.length);
  applyReassignments(total, moved, moves);
  if (groupBy === undefined) return [{ value: null, other: false, values: metricValues(total, metric) }];
  const order = isSumMetric(metric) ? metric : 'requests';
  const top = request.onlyValues
    ? []
    : await listTopRollupValues(reader, { ...around, groupBy, order, figures: [] });
  const values = request.onlyValues ?? top.map(({ value }) => value);
  if (values.length === 0) return [];
  const parts = await listRollupIntervalSumsByValue(reader, { ...around, ...grid, groupBy, figures, values });
  const byValue = Map.groupBy(parts, ({ value }) => value);
  const movedOf = Map.groupBy(moved, (piece) => piece.values[0] ?? '');
  const found = values.map((value): ChartSeries => {
    const steps = sumsPerStep(byValue.get(value) ?? [], grid, figures.length);
    applyReassignments(steps, movedOf.get(value) ?? [], moves);
    for (const [step, sums] of steps.entries()) subtractFrom(total[step], sums);
    return { value, other: false, values: metricValues(steps, metric) };
  });
  const isEmpty = total.every((sums) => sums.every((sum) => sum === 0));
  return isEmpty ? found : [...found, { value: null, other: true, values: metricValues(total, metric) }];
}

async function queryTopValuesFromRows(
  reader: DatabaseReader,
  request: TopValuesRequest,
  figures: readonly RollupFigureColumn[],
) {
  const { order, limit, onlyValues } = request;
  const rank = ROLLUP_FIGURE_COLUMNS.indexOf(order);
  const found = await queryRowSumsByValue(reader, { ...request, figures });
  return found
    .filter(({ value }) => onlyValues === undefined || onlyValues.includes(value))
    .sort((one, other) => (other.sums[rank] ?? 0) - (one.sums[rank] ?? 0))
    .slice(0, limit)
    .map(({ value, sums }) => ({ value, figures: toAdditiveAnalyticsMetrics(sums) }));
}

async function querySeriesFromRows(
  reader: DatabaseReader,
  request: ChartSeriesRequest,
  figures: readonly RollupFigureColumn[],
): Promise<ChartSeries[]> {
  const { metric, groupBy, limit, onlyValues } = request;
  const { starts } = buildChartRequestGrid(request);
  const found = await queryRowSumsByInterval(reader, { ...request, figures }, starts);
  const of = (value: string) => found.get(value) ?? createZeroSums(starts, figures);
  if (groupBy === undefined) return [{ value: null, other: false, values: metricValues(of(''), metric) }];
  const sizeOf = (value: string) =>
    of(value).reduce((sum, sums) => sums.reduce((all, one) => all + one, sum), 0);
  const shown =
    onlyValues ?? [...found.keys()].sort((one, other) => sizeOf(other) - sizeOf(one)).slice(0, limit);
  const rest = createZeroSums(starts, figures);
  for (const [value, own] of found)
    if (!shown.includes(value)) for (const [at, sums] of own.entries()) addInto(rest[at], sums);
  const series = shown.map(
    (value): ChartSeries => ({ value, other: false, values: metricValues(of(value), metric) }),
  );
  const isEmpty = rest.every((sums) => sums.every((sum) => sum === 0));
  return isEmpty ? series : [...series, { value: null, other: true, values: metricValues(rest, metric) }];
}

export function buildChartRequestGrid(
  request: Pick<ChartSeriesRequest, 'from' | 'to' | 'stepMs' | 'timezone'>,
): ChartGrid {
  return buildChartGrid(request, request.stepMs, request.timezone ?? 'UTC');
}

/** Returns the whole units around a range, and the parts of these units outside the range. */
function wholeUnits<Request extends ChartRequest>(request: Request) {
  const unitMs = UNIT_MS[request.unit];
  return {
    around: { ...request, ...alignToUnits(request, unitMs) },
    ranges: findPartialRangesAround(request, unitMs),
  };
}

function isSumMetric(metric: ChartMetric): metric is (typeof ADDITIVE_CHART_METRICS)[number] {
  return !isPercentileMetric(metric);
}

function figuresFor(metric: ChartMetric): readonly RollupFigureColumn[] {
  return isSumMetric(metric) ? [metric] : (PERCENTILES.get(metric)?.buckets ?? []);
}

function sumsPerStep(
  rows: readonly RollupIntervalSums[],
  { localStarts }: ChartGrid,
  width: number,
): number[][] {
  const byStep = new Map(rows.map(({ at, sums }) => [at, sums]));
  return localStarts.map((reading) => [...(byStep.get(reading) ?? new Array<number>(width).fill(0))]);
}

function applyReassignments(
  steps: readonly number[][],
  moved: readonly PartialRangeSums[],
  moves: readonly IntervalReassignment[],
): void {
  for (const { rangeIndex, sums } of moved) {
    const { fromInterval = null, toInterval = null } = moves[rangeIndex] ?? {};
    if (fromInterval !== null) subtractFrom(steps[fromInterval], sums);
    if (toInterval !== null) addInto(steps[toInterval], sums);
  }
}

function addInto(to: number[] | undefined, sums: readonly number[]): void {
  if (!to) return;
  for (const [at, sum] of sums.entries()) to[at] = (to[at] ?? 0) + sum;
}

/** Subtracts sums, but not below 0, because retention may have deleted the rollups and not yet the rows. */
function subtractFrom(from: number[] | undefined, sums: readonly number[]): void {
  if (!from) return;
  for (let i = 0; i < sums.length; i++) from[i] = Math.max(0, (from[i] ?? 0) - (sums[i] ?? 0));
}

function metricValues(steps: readonly (readonly number[])[], metric: ChartMetric): (number | null)[] {
  const wanted = PERCENTILES.get(metric);
  return steps.map((sums) => (wanted ? estimatePercentileMs(sums, wanted.share) : (sums[0] ?? 0)));
}

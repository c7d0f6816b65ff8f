import type { METRICS, SUMS, SummaryFigures } from '@floe/contract/api/charts';
import { usdText } from '@floe/contract/usd-text';
import type { Condition } from '../store/exchange-filters.ts';
import type { Reader } from '../store/ports.ts';
import { percentile } from '../store/rollups/buckets.ts';
import {
  FIGURES,
  FIRST_TOKEN_BUCKETS,
  type Figure,
  LATENCY_BUCKETS,
  type Sum,
} from '../store/rollups/figures.ts';
import { HOUR_MS, MINUTE_MS } from '../store/rollups/gather.ts';
import type { PieceSums } from '../store/rollups/piece.ts';
import { pieceSums } from '../store/rollups/pieces.ts';
import {
  type Facet,
  type RollupRequest,
  type RollupStep,
  rollupSeries,
  rollupSteps,
  rollupTop,
  rollupTotal,
} from '../store/rollups/read.ts';
import { type Grid, gridOf, type Move, movesOf, piecesAround, unitsAround } from './grid.ts';
import { noSums, stepsOfRows, totalsOfRows } from './row-charts.ts';

export type Metric = (typeof METRICS)[number];

/** What a chart is about: any two moments, whose units are those it is counted in. */
export interface ChartRequest extends RollupRequest {
  /** Filters that no rollup holds: it is counted from rows, whose number the caller has bounded. */
  readonly conditions?: readonly Condition[] | undefined;
}

export interface SeriesRequest extends ChartRequest {
  readonly metric: Metric;
  readonly stepMs: number;
  /** Of days. Absent: UTC. */
  readonly timezone?: string | undefined;
  readonly groupBy?: Facet | undefined;
  /** Series at most; what is beyond is added up in one more. */
  readonly limit: number;
  /** The series to give, instead of the largest. */
  readonly only?: readonly string[] | undefined;
}

export interface Series {
  /** '' for requests without one; null for the total of an ungrouped chart and for the rest. */
  readonly value: string | null;
  readonly other: boolean;
  /** One per step of the range, from the first to the last; null where a percentile has no requests. */
  readonly values: (number | null)[];
}

/** The percentile metrics: which histogram, and which share of it. */
const PERCENTILES: ReadonlyMap<Metric, { readonly buckets: readonly Figure[]; readonly share: number }> =
  new Map([
    ['latency_p50_ms', { buckets: LATENCY_BUCKETS, share: 0.5 }],
    ['latency_p95_ms', { buckets: LATENCY_BUCKETS, share: 0.95 }],
    ['latency_p99_ms', { buckets: LATENCY_BUCKETS, share: 0.99 }],
    ['first_token_p50_ms', { buckets: FIRST_TOKEN_BUCKETS, share: 0.5 }],
    ['first_token_p95_ms', { buckets: FIRST_TOKEN_BUCKETS, share: 0.95 }],
    ['first_token_p99_ms', { buckets: FIRST_TOKEN_BUCKETS, share: 0.99 }],
  ]);

export function isPercentile(metric: Metric): boolean {
  return PERCENTILES.has(metric);
}

const UNIT_MS = { minute: MINUTE_MS, hour: HOUR_MS };

/** What the requests of a range add up to, to the request. */
export async function summaryOf(reader: Reader, request: ChartRequest): Promise<SummaryFigures> {
  if (request.conditions) {
    const [all] = await totalsOfRows(reader, { ...request, figures: FIGURES });
    return summarised(all?.sums ?? []);
  }
  const { around, pieces } = unitsOf(request);
  // Pieces are read first: what arrives between the two reads is counted too much, and never less than nothing.
  const outside = await pieceSums(reader, { ...request, pieces, groupBy: [], figures: FIGURES });
  const total = await rollupTotal(reader, { ...around, figures: FIGURES });
  for (const { sums } of outside) subtract(total, sums);
  return summarised(total);
}

export interface TopRequest extends ChartRequest {
  readonly groupBy: Facet;
  readonly order: Sum;
  readonly limit: number;
  /** Only these values. */
  readonly only?: readonly string[] | undefined;
  /** Only values that begin so. */
  readonly prefix?: string | undefined;
}

/** The values of a facet with the largest sum of a metric, largest first. Which they are, whole units decide. */
export async function topOf(
  reader: Reader,
  request: TopRequest,
): Promise<{ readonly value: string; readonly figures: Sums }[]> {
  const { groupBy, order } = request;
  const figures = FIGURES.slice(0, SUM_COUNT);
  if (request.conditions) return topOfRows(reader, request, figures);
  const { around, pieces } = unitsOf(request);
  const outside = await pieceSums(reader, { ...request, pieces, groupBy: [groupBy], figures });
  const found = await rollupTop(reader, { ...around, figures });
  const byValue = Map.groupBy(outside, ({ values }) => values[0] ?? '');
  return found
    .map(({ value, sums }) => {
      const left = [...sums];
      for (const piece of byValue.get(value) ?? []) subtract(left, piece.sums);
      return { value, figures: addedUp(left), rank: left[FIGURES.indexOf(order)] ?? 0 };
    })
    .filter(({ figures: { requests } }) => requests > 0)
    .sort((one, other) => other.rank - one.rank)
    .map(({ value, figures: sums }) => ({ value, figures: sums }));
}

/** A metric over time, as one series or as the largest of a group and the rest. */
export async function seriesOf(reader: Reader, request: SeriesRequest): Promise<Series[]> {
  const { metric, groupBy } = request;
  const figures = figuresFor(metric);
  if (request.conditions) return seriesOfRows(reader, request, figures);
  const grid = stepsOf(request);
  const { around } = unitsOf(request);
  const pieces = movesOf(request, UNIT_MS[request.unit], grid);
  const groups = groupBy === undefined ? [] : [groupBy];
  const moved = await pieceSums(reader, { ...request, pieces, groupBy: groups, figures });
  const rows = await rollupSteps(reader, { ...around, ...grid, figures });
  const total = perStep(rows, grid, figures.length);
  move(total, moved, pieces);
  if (groupBy === undefined) return [{ value: null, other: false, values: valuesOf(total, metric) }];
  const order = isSum(metric) ? metric : 'requests';
  const top = request.only ? [] : await rollupTop(reader, { ...around, groupBy, order, figures: [] });
  const values = request.only ?? top.map(({ value }) => value);
  if (values.length === 0) return [];
  const parts = await rollupSeries(reader, { ...around, ...grid, groupBy, figures, values });
  const byValue = Map.groupBy(parts, ({ value }) => value);
  const movedOf = Map.groupBy(moved, (piece) => piece.values[0] ?? '');
  const found = values.map((value): Series => {
    const steps = perStep(byValue.get(value) ?? [], grid, figures.length);
    move(steps, movedOf.get(value) ?? [], pieces);
    for (const [step, sums] of steps.entries()) subtract(total[step], sums);
    return { value, other: false, values: valuesOf(steps, metric) };
  });
  const isEmpty = total.every((sums) => sums.every((sum) => sum === 0));
  return isEmpty ? found : [...found, { value: null, other: true, values: valuesOf(total, metric) }];
}

async function topOfRows(reader: Reader, request: TopRequest, figures: readonly Figure[]) {
  const { order, limit, only } = request;
  const rank = FIGURES.indexOf(order);
  const found = await totalsOfRows(reader, { ...request, figures });
  return found
    .filter(({ value }) => only === undefined || only.includes(value))
    .sort((one, other) => (other.sums[rank] ?? 0) - (one.sums[rank] ?? 0))
    .slice(0, limit)
    .map(({ value, sums }) => ({ value, figures: addedUp(sums) }));
}

async function seriesOfRows(
  reader: Reader,
  request: SeriesRequest,
  figures: readonly Figure[],
): Promise<Series[]> {
  const { metric, groupBy, limit, only } = request;
  const { starts } = stepsOf(request);
  const found = await stepsOfRows(reader, { ...request, figures }, starts);
  const of = (value: string) => found.get(value) ?? noSums(starts, figures);
  if (groupBy === undefined) return [{ value: null, other: false, values: valuesOf(of(''), metric) }];
  const sizeOf = (value: string) =>
    of(value).reduce((sum, sums) => sums.reduce((all, one) => all + one, sum), 0);
  const shown = only ?? [...found.keys()].sort((one, other) => sizeOf(other) - sizeOf(one)).slice(0, limit);
  const rest = noSums(starts, figures);
  for (const [value, own] of found)
    if (!shown.includes(value)) for (const [at, sums] of own.entries()) add(rest[at], sums);
  const series = shown.map((value): Series => ({ value, other: false, values: valuesOf(of(value), metric) }));
  const isEmpty = rest.every((sums) => sums.every((sum) => sum === 0));
  return isEmpty ? series : [...series, { value: null, other: true, values: valuesOf(rest, metric) }];
}

/** The intervals of a chart. */
export function stepsOf(request: Pick<SeriesRequest, 'from' | 'to' | 'stepMs' | 'timezone'>): Grid {
  return gridOf(request, request.stepMs, request.timezone ?? 'UTC');
}

/** The whole units around a range, and the pieces of them that are outside it. */
function unitsOf<Request extends ChartRequest>(request: Request) {
  const unitMs = UNIT_MS[request.unit];
  return {
    around: { ...request, ...unitsAround(request, unitMs) },
    pieces: piecesAround(request, unitMs),
  };
}

type Sums = Omit<SummaryFigures, 'upstream_requests' | 'latency_ms' | 'first_token_ms'>;

function isSum(metric: Metric): metric is (typeof SUMS)[number] {
  return !isPercentile(metric);
}

function figuresFor(metric: Metric): readonly Figure[] {
  return isSum(metric) ? [metric] : (PERCENTILES.get(metric)?.buckets ?? []);
}

function perStep(rows: readonly RollupStep[], { readings }: Grid, width: number): number[][] {
  const byStep = new Map(rows.map(({ at, sums }) => [at, sums]));
  return readings.map((reading) => [...(byStep.get(reading) ?? new Array<number>(width).fill(0))]);
}

/** Counts the rows of pieces where they belong. */
function move(steps: readonly number[][], moved: readonly PieceSums[], moves: readonly Move[]): void {
  for (const { piece, sums } of moved) {
    const { takenFrom = null, givenTo = null } = moves[piece] ?? {};
    if (takenFrom !== null) subtract(steps[takenFrom], sums);
    if (givenTo !== null) add(steps[givenTo], sums);
  }
}

function add(to: number[] | undefined, sums: readonly number[]): void {
  if (!to) return;
  for (const [at, sum] of sums.entries()) to[at] = (to[at] ?? 0) + sum;
}

/** Where retention has taken the sums and not yet the rows, nothing is left and not less. */
function subtract(from: number[] | undefined, sums: readonly number[]): void {
  if (!from) return;
  for (let i = 0; i < sums.length; i++) from[i] = Math.max(0, (from[i] ?? 0) - (sums[i] ?? 0));
}

function valuesOf(steps: readonly (readonly number[])[], metric: Metric): (number | null)[] {
  const wanted = PERCENTILES.get(metric);
  return steps.map((sums) => (wanted ? percentile(sums, wanted.share) : (sums[0] ?? 0)));
}

const SUM_COUNT = FIGURES.indexOf('latency_0');
const LATENCY_MS = FIGURES.indexOf('latency_ms');

function summarised(sums: readonly number[]): SummaryFigures {
  const histogramOf = (buckets: readonly Figure[]) => buckets.map((name) => sums[FIGURES.indexOf(name)] ?? 0);
  const added = addedUp(sums);
  const latencies = histogramOf(LATENCY_BUCKETS);
  const asked = latencies.reduce((sum, count) => sum + count, 0);
  const meanMs = (sums[LATENCY_MS] ?? 0) / asked;
  return {
    ...added,
    upstream_requests: asked,
    latency_ms: {
      mean: asked === 0 ? null : Math.round(meanMs * 100) / 100,
      ...threePercentiles(latencies),
    },
    first_token_ms: threePercentiles(histogramOf(FIRST_TOKEN_BUCKETS)),
  };
}

/** `sums` begins with the sums of `FIGURES`. */
function addedUp(sums: readonly number[]): Sums {
  const sum = (name: Sum) => sums[FIGURES.indexOf(name)] ?? 0;
  return {
    requests: sum('requests'),
    errors: sum('errors'),
    input_tokens: sum('input_tokens'),
    cached_tokens: sum('cached_tokens'),
    cache_write_tokens: sum('cache_write_tokens'),
    output_tokens: sum('output_tokens'),
    reasoning_tokens: sum('reasoning_tokens'),
    cost_nano_usd: sum('cost_nano_usd'),
    cost_usd: usdText(sum('cost_nano_usd')),
    saved_nano_usd: sum('saved_nano_usd'),
    saved_usd: usdText(sum('saved_nano_usd')),
  };
}

function threePercentiles(counts: readonly number[]) {
  return { p50: percentile(counts, 0.5), p95: percentile(counts, 0.95), p99: percentile(counts, 0.99) };
}

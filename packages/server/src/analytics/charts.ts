import type { METRICS, SUMS, SummaryFigures } from '@floe/contract/api/charts';
import { usdText } from '@floe/contract/api/money';
import type { Reader } from '../store/ports.ts';
import { percentile } from '../store/rollups/buckets.ts';
import {
  FIGURES,
  FIRST_TOKEN_BUCKETS,
  type Figure,
  LATENCY_BUCKETS,
  type Sum,
} from '../store/rollups/figures.ts';
import {
  type Facet,
  type RollupRequest,
  type RollupStep,
  rollupSeries,
  rollupSteps,
  rollupTop,
  rollupTotal,
} from '../store/rollups/read.ts';

export type Metric = (typeof METRICS)[number];

export interface SeriesRequest extends RollupRequest {
  readonly metric: Metric;
  readonly stepMs: number;
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

/** What the requests of a range add up to. */
export async function summaryOf(reader: Reader, request: RollupRequest): Promise<SummaryFigures> {
  return summarised(await rollupTotal(reader, { ...request, figures: FIGURES }));
}

export interface TopRequest extends RollupRequest {
  readonly groupBy: Facet;
  readonly order: Sum;
  readonly limit: number;
  /** Only these values. */
  readonly only?: readonly string[] | undefined;
  /** Only values that begin so. */
  readonly prefix?: string | undefined;
}

/** The range of the same length just before. */
export function rangeBefore<Range extends { readonly from: number; readonly to: number }>(
  range: Range,
): Range {
  return { ...range, from: range.from - (range.to - range.from), to: range.from };
}

/** The values of a facet with the largest sum of a metric, largest first. */
export async function topOf(
  reader: Reader,
  request: TopRequest,
): Promise<{ readonly value: string; readonly figures: Sums }[]> {
  const found = await rollupTop(reader, { ...request, figures: FIGURES.slice(0, SUM_COUNT) });
  return found.map(({ value, sums }) => ({ value, figures: addedUp(sums) }));
}

/** A metric over time, as one series or as the largest of a group and the rest. */
export async function seriesOf(reader: Reader, request: SeriesRequest): Promise<Series[]> {
  const { metric, groupBy } = request;
  const figures = figuresFor(metric);
  const total = perStep(await rollupSteps(reader, { ...request, figures }), request, figures.length);
  if (groupBy === undefined) return [{ value: null, other: false, values: valuesOf(total, metric) }];
  const order = isSum(metric) ? metric : 'requests';
  const top = request.only ? [] : await rollupTop(reader, { ...request, groupBy, order, figures: [] });
  const values = request.only ?? top.map(({ value }) => value);
  if (values.length === 0) return [];
  const rows = await rollupSeries(reader, { ...request, groupBy, figures, values });
  const byValue = Map.groupBy(rows, ({ value }) => value);
  const rest = total.map((sums) => [...sums]);
  const found = values.map((value): Series => {
    const steps = perStep(byValue.get(value) ?? [], request, figures.length);
    for (const [step, sums] of steps.entries()) subtract(rest[step], sums);
    return { value, other: false, values: valuesOf(steps, metric) };
  });
  const isEmpty = rest.every((sums) => sums.every((sum) => sum === 0));
  return isEmpty ? found : [...found, { value: null, other: true, values: valuesOf(rest, metric) }];
}

/** Start of every step of a range, in milliseconds. */
export function stepsOf({ from, to, stepMs }: Pick<SeriesRequest, 'from' | 'to' | 'stepMs'>): number[] {
  const first = from - (from % stepMs);
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / stepMs)) }, (_, n) => first + n * stepMs);
}

type Sums = Omit<SummaryFigures, 'latency_ms' | 'first_token_ms'>;

function isSum(metric: Metric): metric is (typeof SUMS)[number] {
  return !isPercentile(metric);
}

function figuresFor(metric: Metric): readonly Figure[] {
  return isSum(metric) ? [metric] : (PERCENTILES.get(metric)?.buckets ?? []);
}

function perStep(rows: readonly RollupStep[], request: SeriesRequest, width: number): (readonly number[])[] {
  const nothing = new Array<number>(width).fill(0);
  const byStep = new Map(rows.map(({ at, sums }) => [at, sums]));
  return stepsOf(request).map((at) => byStep.get(at) ?? nothing);
}

function subtract(from: number[] | undefined, sums: readonly number[]): void {
  if (!from) return;
  for (let i = 0; i < sums.length; i++) from[i] = (from[i] ?? 0) - (sums[i] ?? 0);
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
  const meanMs = (sums[LATENCY_MS] ?? 0) / added.requests;
  return {
    ...added,
    latency_ms: {
      mean: added.requests === 0 ? null : Math.round(meanMs * 100) / 100,
      ...threePercentiles(histogramOf(LATENCY_BUCKETS)),
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

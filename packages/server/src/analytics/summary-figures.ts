import type { AnalyticsMetrics } from '@floe/contract/api/charts';
import { toDecimalUsd } from '@floe/contract/decimal-usd';
import { estimatePercentileMs } from '../store/rollups/histogram-buckets.ts';
import {
  FIRST_TOKEN_BUCKET_COLUMNS,
  LATENCY_BUCKET_COLUMNS,
  ROLLUP_FIGURE_COLUMNS,
  type RollupFigureColumn,
  type RollupSumColumn,
} from '../store/rollups/rollup-figures.ts';

/**
 * The metrics that can be computed by adding rows. Excludes percentiles and means, and `upstream_requests`,
 * which is computed from the latency histogram.
 */
export type AdditiveAnalyticsMetrics = Omit<
  AnalyticsMetrics,
  'upstream_requests' | 'latency_ms' | 'first_token_ms'
>;

/** The number of columns in `ROLLUP_FIGURE_COLUMNS` that are sums. They come first. */
export const SUM_COLUMN_COUNT = ROLLUP_FIGURE_COLUMNS.indexOf('latency_0');
const LATENCY_MS = ROLLUP_FIGURE_COLUMNS.indexOf('latency_ms');

/**
 * Converts sums to metrics. `sums` contains one value for each column in `ROLLUP_FIGURE_COLUMNS`, in the same
 * order.
 */
export function toAnalyticsMetrics(sums: readonly number[]): AnalyticsMetrics {
  const histogramOf = (buckets: readonly RollupFigureColumn[]) =>
    buckets.map((name) => sums[ROLLUP_FIGURE_COLUMNS.indexOf(name)] ?? 0);
  const added = toAdditiveAnalyticsMetrics(sums);
  const latencies = histogramOf(LATENCY_BUCKET_COLUMNS);
  const asked = latencies.reduce((sum, count) => sum + count, 0);
  const meanMs = (sums[LATENCY_MS] ?? 0) / asked;
  const mean = asked === 0 ? null : Math.round(meanMs * 100) / 100;
  return {
    ...added,
    upstream_requests: asked,
    latency_ms: { mean, ...percentileSummary(latencies) },
    first_token_ms: percentileSummary(histogramOf(FIRST_TOKEN_BUCKET_COLUMNS)),
  };
}

/**
 * Converts sums to the metrics that can be computed by adding rows. `sums` contains at least the columns of
 * `ROLLUP_FIGURE_COLUMNS` that are sums, in the same order.
 */
export function toAdditiveAnalyticsMetrics(sums: readonly number[]): AdditiveAnalyticsMetrics {
  const sum = (name: RollupSumColumn) => sums[ROLLUP_FIGURE_COLUMNS.indexOf(name)] ?? 0;
  return {
    requests: sum('requests'),
    errors: sum('errors'),
    input_tokens: sum('input_tokens'),
    cached_tokens: sum('cached_tokens'),
    cache_write_tokens: sum('cache_write_tokens'),
    output_tokens: sum('output_tokens'),
    reasoning_tokens: sum('reasoning_tokens'),
    cost_nano_usd: sum('cost_nano_usd'),
    cost_usd: toDecimalUsd(sum('cost_nano_usd')),
    saved_nano_usd: sum('saved_nano_usd'),
    saved_usd: toDecimalUsd(sum('saved_nano_usd')),
  };
}

function percentileSummary(counts: readonly number[]) {
  const at = (share: number) => estimatePercentileMs(counts, share);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

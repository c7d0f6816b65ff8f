import { HISTOGRAM_BUCKET_INDEXES, type HistogramBucketIndex } from './histogram-buckets.ts';

/** The sums that every rollup row has. */
export interface RollupSums {
  requests: number;
  /** Number of requests that called a provider and have an error outcome. */
  errors: number;
  input_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_nano_usd: number;
  saved_nano_usd: number;
  /**
   * Sum of the latencies of requests that called a provider. The latency histogram contains the number of
   * these requests.
   */
  latency_ms: number;
}

type Histogram<Name extends string> = { [Column in `${Name}_${HistogramBucketIndex}`]: number };

/**
 * The sums and histograms of a rollup row. `latency_<n>` and `first_token_<n>` count the exchanges
 * in a bucket.
 */
export interface RollupFigures extends RollupSums, Histogram<'latency'>, Histogram<'first_token'> {}

/** The columns of `RollupSums`, in the same order as in the database tables. */
export const ROLLUP_SUM_COLUMNS = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost_nano_usd',
  'saved_nano_usd',
  'latency_ms',
] as const satisfies readonly (keyof RollupSums)[];
/** A column of `RollupSums`. */
export type RollupSumColumn = (typeof ROLLUP_SUM_COLUMNS)[number];

/** The columns of the latency histogram, in the order of the buckets. */
export const LATENCY_BUCKET_COLUMNS = HISTOGRAM_BUCKET_INDEXES.map((bucket) => `latency_${bucket}` as const);
/** The columns of the histogram of times to first token, in the order of the buckets. */
export const FIRST_TOKEN_BUCKET_COLUMNS = HISTOGRAM_BUCKET_INDEXES.map(
  (bucket) => `first_token_${bucket}` as const,
);

/** The columns of `RollupFigures`. The sums come first. */
export const ROLLUP_FIGURE_COLUMNS = [
  ...ROLLUP_SUM_COLUMNS,
  ...LATENCY_BUCKET_COLUMNS,
  ...FIRST_TOKEN_BUCKET_COLUMNS,
] as const;
/** A column of `RollupFigures`. */
export type RollupFigureColumn = (typeof ROLLUP_FIGURE_COLUMNS)[number];

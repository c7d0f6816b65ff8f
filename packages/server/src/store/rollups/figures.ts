import { BUCKETS, type Bucket } from './buckets.ts';

/** What every rollup adds up. */
export interface Sums {
  requests: number;
  /** Those that reached an upstream and are errors by their outcome. */
  errors: number;
  input_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_nano_usd: number;
  saved_nano_usd: number;
  /** Of those that reached an upstream; the histogram of latencies counts how many these are. */
  latency_ms: number;
}

type Histogram<Name extends string> = { [Column in `${Name}_${Bucket}`]: number };

/** Sums and histograms: `latency_<n>` and `first_token_<n>` count exchanges per bucket. */
export interface Figures extends Sums, Histogram<'latency'>, Histogram<'first_token'> {}

/** Columns of `Sums`, in the order of the tables. */
export const SUMS = [
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
] as const satisfies readonly (keyof Sums)[];
export type Sum = (typeof SUMS)[number];

export const LATENCY_BUCKETS = BUCKETS.map((bucket) => `latency_${bucket}` as const);
export const FIRST_TOKEN_BUCKETS = BUCKETS.map((bucket) => `first_token_${bucket}` as const);

/** Columns of `Figures`: the sums come first. */
export const FIGURES = [...SUMS, ...LATENCY_BUCKETS, ...FIRST_TOKEN_BUCKETS] as const;
export type Figure = (typeof FIGURES)[number];

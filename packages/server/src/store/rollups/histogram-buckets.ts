/** The indexes of the histogram's buckets. */
export const HISTOGRAM_BUCKET_INDEXES = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
] as const;
/** The index of a bucket in a histogram. */
export type HistogramBucketIndex = (typeof HISTOGRAM_BUCKET_INDEXES)[number];

/**
 * Upper bound of bucket 0. Each further bucket has twice the upper bound. The last one has none (above 328
 * s).
 */
const FIRST_BOUND_MS = 5;
const LAST_BUCKET = HISTOGRAM_BUCKET_INDEXES.length - 1;

/**
 * Returns the histogram bucket for a duration in milliseconds. Bucket `n` contains durations up to
 * `5 * 2^n` milliseconds.
 */
export function getHistogramBucketIndex(ms: number): number {
  let bucket = 0;
  for (let bound = FIRST_BOUND_MS; ms > bound && bucket < LAST_BUCKET; bound *= 2) bucket += 1;
  return bucket;
}

/** Returns a bucket's upper bound in milliseconds. Null for the last bucket, which has none. */
export function getHistogramBucketUpperBoundMs(bucket: HistogramBucketIndex): number | null {
  return bucket === LAST_BUCKET ? null : FIRST_BOUND_MS * 2 ** bucket;
}

/**
 * Estimates a percentile in milliseconds from the counts per bucket. `share` is 0.95 for p95. Assumes that
 * values are evenly distributed within a bucket, so that the error is at most the width of one bucket.
 * Returns null if there are no values.
 */
export function estimatePercentileMs(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = share * total;
  for (const [bucket, count] of counts.entries()) {
    if (below <= count && count > 0) {
      const upper = FIRST_BOUND_MS * 2 ** bucket;
      const lower = bucket === 0 ? 0 : upper / 2;
      // The last bucket has no upper bound, so its lower bound is returned.
      return bucket === LAST_BUCKET
        ? lower
        : Math.round((lower + (upper - lower) * (below / count)) * 100) / 100;
    }
    below -= count;
  }
  return FIRST_BOUND_MS * 2 ** (LAST_BUCKET - 1);
}

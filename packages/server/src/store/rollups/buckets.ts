/** Numbers of the histogram's buckets. */
export const BUCKETS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Upper bound of bucket 0; each further one doubles it, and the last has none (above 328 s). */
const FIRST_BOUND_MS = 5;
const LAST = BUCKETS.length - 1;

/** The bucket of a duration: bucket `n` holds those up to `5 * 2^n` milliseconds. */
export function bucketOf(ms: number): number {
  let bucket = 0;
  for (let bound = FIRST_BOUND_MS; ms > bound && bucket < LAST; bound *= 2) bucket += 1;
  return bucket;
}

/** Milliseconds up to which a bucket's durations go; null for the last one. */
export function upperBound(bucket: Bucket): number | null {
  return bucket === LAST ? null : FIRST_BOUND_MS * 2 ** bucket;
}

/**
 * Estimates a percentile (`share` 0.95 for p95) from counts per bucket, evenly spread within each; null
 * without any. The error is at most the width of the bucket it falls into.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = share * total;
  for (const [bucket, count] of counts.entries()) {
    if (below <= count && count > 0) {
      const upper = FIRST_BOUND_MS * 2 ** bucket;
      const lower = bucket === 0 ? 0 : upper / 2;
      // The last bucket has no upper bound: its lower one is the most that is known.
      return bucket === LAST ? lower : Math.round((lower + (upper - lower) * (below / count)) * 100) / 100;
    }
    below -= count;
  }
  return FIRST_BOUND_MS * 2 ** (LAST - 1);
}

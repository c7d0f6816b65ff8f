import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  estimatePercentileMs,
  getHistogramBucketIndex,
  HISTOGRAM_BUCKET_INDEXES,
} from './histogram-buckets.ts';

const countsOf = (durations: readonly number[]) => {
  const counts = HISTOGRAM_BUCKET_INDEXES.map(() => 0);
  for (const ms of durations)
    counts[getHistogramBucketIndex(ms)] = (counts[getHistogramBucketIndex(ms)] ?? 0) + 1;
  return counts;
};

test('a bucket contains durations up to its bound, and the last one contains all longer durations', () => {
  const table: readonly [number, number][] = [
    [0, 0],
    [5, 0],
    [5.01, 1],
    [10, 1],
    [160, 5],
    [327_680, 16],
    [327_681, 17],
    [1e12, 17],
  ];
  for (const [ms, bucket] of table) assert.equal(getHistogramBucketIndex(ms), bucket, `${ms} ms`);
});

test('a percentile is in the bucket of the exact value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 300_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (durations, share) => {
        const sorted = durations.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const estimate = estimatePercentileMs(countsOf(durations), share);
        assert.ok(estimate !== null);
        const upper = 5 * 2 ** getHistogramBucketIndex(exact);
        const lower = getHistogramBucketIndex(exact) === 0 ? 0 : upper / 2;
        assert.ok(estimate >= lower && estimate <= upper, `${estimate} for ${exact}`);
      },
    ),
  );
});

test('an empty histogram has no percentile, and one beyond the last bound is reported as the bound', () => {
  assert.equal(estimatePercentileMs(countsOf([]), 0.5), null);
  assert.equal(estimatePercentileMs(countsOf([1e9]), 0.5), 327_680);
});

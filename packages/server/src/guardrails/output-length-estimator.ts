import { FairLruMap } from '../core/fair-lru-map.ts';

/** Minimum number of responses for an estimate. */
const MIN_ANSWERS = 8;
/** The estimate is the length that this share of recent responses did not exceed. */
const QUANTILE = 0.98;
/** Each response multiplies the weight of earlier ones by this factor, so about 200 responses count. */
const DECAY = 0.995;
/** Resolution of the histogram: four buckets per doubling, from 16 tokens to several million. */
const BUCKETS_PER_DOUBLING = 4;
const MIN_TOKENS = 16;
const BUCKET_COUNT = 72;
/**
 * New responses get growing weights instead of scaling down old ones. At this weight all are rescaled to keep
 * precision.
 */
const MAX_WEIGHT = 1e12;
const MAX_MODELS = 4_096;

interface Histogram {
  readonly weights: Float64Array;
  total: number;
  /** Weight of the next response. */
  weight: number;
  count: number;
}

/**
 * Estimates how many output tokens to reserve for requests that set no maximum. Keeps an
 * exponentially decayed histogram of recent response lengths per organization, provider and model,
 * in the memory of this process.
 */
export class OutputLengthEstimator {
  readonly #histograms = new FairLruMap<Histogram>(MAX_MODELS);

  /**
   * Returns the tokens that 98 % of recent responses did not exceed, rounded up by at most 20 %. Null if
   * fewer than 8 are known.
   */
  percentile(orgId: string, provider: string, model: string): number | null {
    const histogram = this.#histograms.get(orgId, histogramKey(provider, model));
    if (!histogram || histogram.count < MIN_ANSWERS) return null;
    let above = histogram.total * (1 - QUANTILE);
    for (let step = BUCKET_COUNT - 1; step >= 0; step--) {
      above -= histogram.weights[step] ?? 0;
      if (above < 0) return Math.ceil(MIN_TOKENS * 2 ** (step / BUCKETS_PER_DOUBLING));
    }
    return MIN_TOKENS;
  }

  record(orgId: string, provider: string, model: string, tokens: number): void {
    const key = histogramKey(provider, model);
    const histogram = this.#histograms.get(orgId, key) ?? {
      weights: new Float64Array(BUCKET_COUNT),
      total: 0,
      weight: 1,
      count: 0,
    };
    const step = bucketIndex(tokens);
    histogram.weights[step] = (histogram.weights[step] ?? 0) + histogram.weight;
    histogram.total += histogram.weight;
    histogram.weight /= DECAY;
    histogram.count += 1;
    if (histogram.weight > MAX_WEIGHT) rescaleWeights(histogram);
    this.#histograms.set(orgId, key, histogram);
  }
}

/** Returns the first bucket whose length is at least `tokens`. */
function bucketIndex(tokens: number): number {
  const step = Math.ceil(Math.log2(Math.max(1, tokens) / MIN_TOKENS) * BUCKETS_PER_DOUBLING);
  return Math.min(BUCKET_COUNT - 1, Math.max(0, step));
}

function rescaleWeights(histogram: Histogram): void {
  for (let step = 0; step < BUCKET_COUNT; step++)
    histogram.weights[step] = (histogram.weights[step] ?? 0) / histogram.weight;
  histogram.total /= histogram.weight;
  histogram.weight = 1;
}

function histogramKey(provider: string, model: string): string {
  return `${provider}\n${model}`;
}

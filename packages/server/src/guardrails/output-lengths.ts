/** Answers after which a length is known; before that, nothing is. */
const MIN_ANSWERS = 8;
/** The length that so great a part of recent answers did not exceed. */
const QUANTILE = 0.98;
/** What each answer leaves of the weight of those before it: some 200 answers count. */
const DECAY = 0.995;
/** Lengths are told apart by a quarter of a doubling, from 16 tokens to some millions. */
const BUCKETS_PER_DOUBLING = 4;
const MIN_TOKENS = 16;
const BUCKET_COUNT = 72;
/** Weights grow instead of fading; they are made small again before they lose precision. */
const MAX_WEIGHT = 1e12;
const MAX_MODELS = 4_096;

interface Histogram {
  readonly weights: Float64Array;
  total: number;
  /** Of the next answer. */
  weight: number;
  count: number;
}

/**
 * How long answers of a model were recently where the request named no cap: what to reserve for one more. An
 * exponentially decayed histogram for each org, provider and model, in the memory of this process; the least recently
 * used is forgotten first.
 */
export class OutputLengths {
  readonly #histograms = new Map<string, Histogram>();

  /** Tokens that 98 % of recent answers did not exceed, rounded up by at most a fifth; null while fewer than 8 are known. */
  percentile(orgId: string, provider: string, model: string): number | null {
    const histogram = this.#histograms.get(histogramKey(orgId, provider, model));
    if (!histogram || histogram.count < MIN_ANSWERS) return null;
    let above = histogram.total * (1 - QUANTILE);
    for (let step = BUCKET_COUNT - 1; step >= 0; step--) {
      above -= histogram.weights[step] ?? 0;
      if (above < 0) return Math.ceil(MIN_TOKENS * 2 ** (step / BUCKETS_PER_DOUBLING));
    }
    return MIN_TOKENS;
  }

  record(orgId: string, provider: string, model: string, tokens: number): void {
    const key = histogramKey(orgId, provider, model);
    const known = this.#histograms.get(key);
    const histogram = known ?? { weights: new Float64Array(BUCKET_COUNT), total: 0, weight: 1, count: 0 };
    const step = bucketIndex(tokens);
    histogram.weights[step] = (histogram.weights[step] ?? 0) + histogram.weight;
    histogram.total += histogram.weight;
    histogram.weight /= DECAY;
    histogram.count += 1;
    if (histogram.weight > MAX_WEIGHT) rescaleWeights(histogram);
    if (known) this.#histograms.delete(key);
    this.#histograms.set(key, histogram);
    if (this.#histograms.size <= MAX_MODELS) return;
    const [oldest] = this.#histograms.keys();
    if (oldest !== undefined) this.#histograms.delete(oldest);
  }
}

/** The first step whose length is no shorter. */
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

function histogramKey(orgId: string, provider: string, model: string): string {
  return `${orgId}\n${provider}\n${model}`;
}

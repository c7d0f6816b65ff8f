/** CPU per request of one pair of loads, in microseconds: one after the other, on both servers. */
export interface LoadPair {
  readonly baseUs: number;
  readonly treeUs: number;
}

/** What several pairs say together. A ratio above 1 means that the working tree uses more CPU. */
export interface RatioSummary {
  readonly baseUs: number;
  readonly treeUs: number;
  readonly ratio: number;
  /** Between these two are the ratios of half of the pairs. */
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  /** The lowest and the highest ratio of a pair. */
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Medians of the pairs. The ratio is the median of the ratios, not the ratio of the medians: the two loads of a pair
 * share what else the machine does at that time.
 *
 * @throws Error without pairs
 */
export function summarizePairs(pairs: readonly LoadPair[]): RatioSummary {
  const ratios = pairs.map(({ baseUs, treeUs }) => treeUs / baseUs);
  return {
    baseUs: quantile(
      pairs.map(({ baseUs }) => baseUs),
      0.5,
    ),
    treeUs: quantile(
      pairs.map(({ treeUs }) => treeUs),
      0.5,
    ),
    ratio: quantile(ratios, 0.5),
    lowerQuartile: quantile(ratios, 0.25),
    upperQuartile: quantile(ratios, 0.75),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}

/** The value below which a share of the values is, interpolated between two values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('nothing was measured');
  return below + (above - below) * (position - Math.floor(position));
}

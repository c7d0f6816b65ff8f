import type { SqlCondition } from '../exchange-filters.ts';
import type { RollupFacet, RollupFacetFilter } from './read-rollups.ts';
import type { RollupFigureColumn } from './rollup-figures.ts';

/** A time range [from, to) in Unix milliseconds that does not cover whole minutes or hours. */
export interface PartialRange {
  readonly from: number;
  readonly to: number;
}

/** A request for the sums over partial ranges. */
export interface PartialRangeRequest {
  readonly orgId: string;
  /** The ranges, of at most an hour each, because rows are read individually. */
  readonly ranges: readonly PartialRange[];
  /**
   * The time since which minutes are stored, in Unix milliseconds. Earlier minutes are merged into quarter
   * hours. If it is absent, only rows are read.
   */
  readonly minutesSince?: number | undefined;
  readonly filter?: RollupFacetFilter | undefined;
  /**
   * Conditions that rollups cannot satisfy. If there are any, rows are read, whatever the length of the
   * ranges.
   */
  readonly conditions?: readonly SqlCondition[] | undefined;
  readonly groupBy: readonly RollupFacet[];
  readonly figures: readonly RollupFigureColumn[];
}

/** The sums for one partial range and one combination of group values. */
export interface PartialRangeSums {
  /** Index of the range in the request. */
  readonly rangeIndex: number;
  /** The group values, in the order of `groupBy`. '' for requests without a value. */
  readonly values: readonly string[];
  /** The sums, in the order of `figures`. */
  readonly sums: readonly number[];
}

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
  /** At most an hour each, because rows are read individually. */
  readonly ranges: readonly PartialRange[];
  /**
   * Since when minutes are stored, in milliseconds. Earlier ones are merged into quarter hours. Absent:
   * reads only rows.
   */
  readonly minutesSince?: number | undefined;
  readonly filter?: RollupFacetFilter | undefined;
  /** Conditions that rollups cannot satisfy. Rows are read instead, whatever the length of the ranges. */
  readonly conditions?: readonly SqlCondition[] | undefined;
  readonly groupBy: readonly RollupFacet[];
  readonly figures: readonly RollupFigureColumn[];
}

/** The sums for one partial range and one combination of group values. */
export interface PartialRangeSums {
  /** Index of the range in the request. */
  readonly rangeIndex: number;
  /** In the order of `groupBy`. '' for requests without a value. */
  readonly values: readonly string[];
  /** In the order of `figures`. */
  readonly sums: readonly number[];
}

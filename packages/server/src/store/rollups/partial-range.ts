import type { SqlCondition } from '../exchange-filters.ts';
import type { RollupFacet, RollupFacetFilter } from './read-rollups.ts';
import type { RollupFigureColumn } from './rollup-figures.ts';

/** A stretch of time that no whole minute or hour stands for: [from, to), in milliseconds. */
export interface PartialRange {
  readonly from: number;
  readonly to: number;
}

export interface PartialRangeRequest {
  readonly orgId: string;
  /** None longer than an hour: rows that no minute stands for are read one by one. */
  readonly ranges: readonly PartialRange[];
  /** Since when minutes are kept, in milliseconds; before, they are merged into quarters. Absent: only rows are read. */
  readonly minutesSince?: number | undefined;
  readonly filter?: RollupFacetFilter | undefined;
  /** What no rollup knows of; rows are read for it, however long the pieces are. */
  readonly conditions?: readonly SqlCondition[] | undefined;
  readonly groupBy: readonly RollupFacet[];
  readonly figures: readonly RollupFigureColumn[];
}

export interface PartialRangeSums {
  /** Its place among the pieces. */
  readonly rangeIndex: number;
  /** In the order of `groupBy`; '' for requests without a value. */
  readonly values: readonly string[];
  /** In the order of `figures`. */
  readonly sums: readonly number[];
}

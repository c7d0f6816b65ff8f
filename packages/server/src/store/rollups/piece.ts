import type { Condition } from '../exchange-filters.ts';
import type { Figure } from './figures.ts';
import type { Facet, FacetFilter } from './read.ts';

/** A stretch of time that no whole minute or hour stands for: [from, to), in milliseconds. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}

export interface PieceRequest {
  readonly orgId: string;
  /** None longer than an hour: rows that no minute stands for are read one by one. */
  readonly pieces: readonly Piece[];
  /** Since when minutes are kept, in milliseconds; before, they are merged into quarters. Absent: only rows are read. */
  readonly minutesSince?: number | undefined;
  readonly filter?: FacetFilter | undefined;
  /** What no rollup knows of; rows are read for it, however long the pieces are. */
  readonly conditions?: readonly Condition[] | undefined;
  readonly groupBy: readonly Facet[];
  readonly figures: readonly Figure[];
}

export interface PieceSums {
  /** Its place among the pieces. */
  readonly piece: number;
  /** In the order of `groupBy`; '' for requests without a value. */
  readonly values: readonly string[];
  /** In the order of `figures`. */
  readonly sums: readonly number[];
}

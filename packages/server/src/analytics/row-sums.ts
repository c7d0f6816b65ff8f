import type { PartialRangeRequest } from '../store/rollups/partial-range.ts';
import { sumPartialRanges } from '../store/rollups/partial-range-sums.ts';
import type { RollupFacet } from '../store/rollups/read-rollups.ts';
import type { RollupFigureColumn } from '../store/rollups/rollup-figures.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';

/**
 * A query over rows, for filters that rollups do not support. The number of matching rows must be limited.
 */
interface RowSumsRequest extends Omit<PartialRangeRequest, 'ranges' | 'groupBy'> {
  readonly groupBy?: RollupFacet | undefined;
}

interface Span {
  /** Start of the range, inclusive, in Unix milliseconds. */
  readonly from: number;
  /** End of the range, exclusive, in Unix milliseconds. */
  readonly to: number;
}

/**
 * Returns the sums of `figures`, in this order, for each value of `groupBy`. Without `groupBy`, returns one
 * group with the value ''.
 */
export async function queryRowSumsByValue(
  reader: DatabaseReader,
  request: RowSumsRequest & Span,
): Promise<{ readonly value: string; readonly sums: readonly number[] }[]> {
  const steps = await queryRowSumsByInterval(reader, request, [request.from]);
  return [...steps].map(([value, [sums = []]]) => ({ value, sums }));
}

/**
 * Returns the sums in each interval for each value of `groupBy`. The value is '' if there is no `groupBy`. An
 * interval ends at the start of the next one.
 */
export async function queryRowSumsByInterval(
  reader: DatabaseReader,
  { groupBy, ...request }: RowSumsRequest & Span,
  starts: readonly number[],
): Promise<ReadonlyMap<string, number[][]>> {
  const { from, to, figures } = request;
  const pieces = starts.map((start, at) => ({ from: Math.max(start, from), to: starts[at + 1] ?? to }));
  const groups = groupBy === undefined ? [] : [groupBy];
  const found = await sumPartialRanges(reader, { ...request, ranges: pieces, groupBy: groups });
  const steps = new Map<string, number[][]>();
  for (const { rangeIndex, values, sums } of found) {
    const value = values[0] ?? '';
    const own = steps.get(value) ?? createZeroSums(starts, figures);
    const [known = []] = [own[rangeIndex]];
    own[rangeIndex] = known.map((sum, at) => sum + (sums[at] ?? 0));
    steps.set(value, own);
  }
  return steps;
}

/** Returns sums of 0 for each interval. */
export function createZeroSums(
  starts: readonly number[],
  figures: readonly RollupFigureColumn[],
): number[][] {
  return starts.map(() => new Array<number>(figures.length).fill(0));
}

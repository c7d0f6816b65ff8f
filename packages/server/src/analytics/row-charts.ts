import type { DatabaseReader } from '../store/ports.ts';
import type { PartialRangeRequest } from '../store/rollups/partial-range.ts';
import { sumPartialRanges } from '../store/rollups/partial-range-sums.ts';
import type { RollupFacet } from '../store/rollups/read-rollups.ts';
import type { RollupFigureColumn } from '../store/rollups/rollup-figures.ts';

/** What is counted from rows, for filters that no rollup holds. The caller has bounded how many rows there are. */
interface RowSumsRequest extends Omit<PartialRangeRequest, 'ranges' | 'groupBy'> {
  readonly groupBy?: RollupFacet | undefined;
}

interface Span {
  /** Milliseconds, included. */
  readonly from: number;
  /** Milliseconds, not included. */
  readonly to: number;
}

/** Sums over the span, in the order of `figures`, per value of `groupBy`; '' without one. */
export async function queryRowTotals(
  reader: DatabaseReader,
  request: RowSumsRequest & Span,
): Promise<{ readonly value: string; readonly sums: readonly number[] }[]> {
  const steps = await queryRowIntervals(reader, request, [request.from]);
  return [...steps].map(([value, [sums = []]]) => ({ value, sums }));
}

/** Sums of every interval, which end where the next one starts, per value of `groupBy`; '' without one. */
export async function queryRowIntervals(
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

/** Nothing in every interval. */
export function createZeroSums(
  starts: readonly number[],
  figures: readonly RollupFigureColumn[],
): number[][] {
  return starts.map(() => new Array<number>(figures.length).fill(0));
}

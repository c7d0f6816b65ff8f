import type { Reader } from '../store/ports.ts';
import type { Figure } from '../store/rollups/figures.ts';
import type { PieceRequest } from '../store/rollups/piece.ts';
import { pieceSums } from '../store/rollups/pieces.ts';
import type { Facet } from '../store/rollups/read.ts';

/** What is counted from rows, for filters that no rollup holds. The caller has bounded how many rows there are. */
interface RowsRequest extends Omit<PieceRequest, 'pieces' | 'groupBy'> {
  readonly groupBy?: Facet | undefined;
}

interface Span {
  /** Milliseconds, included. */
  readonly from: number;
  /** Milliseconds, not included. */
  readonly to: number;
}

/** Sums over the span, in the order of `figures`, per value of `groupBy`; '' without one. */
export async function totalsOfRows(
  reader: Reader,
  request: RowsRequest & Span,
): Promise<{ readonly value: string; readonly sums: readonly number[] }[]> {
  const steps = await stepsOfRows(reader, request, [request.from]);
  return [...steps].map(([value, [sums = []]]) => ({ value, sums }));
}

/** Sums of every interval, which end where the next one starts, per value of `groupBy`; '' without one. */
export async function stepsOfRows(
  reader: Reader,
  { groupBy, ...request }: RowsRequest & Span,
  starts: readonly number[],
): Promise<ReadonlyMap<string, number[][]>> {
  const { from, to, figures } = request;
  const pieces = starts.map((start, at) => ({ from: Math.max(start, from), to: starts[at + 1] ?? to }));
  const groups = groupBy === undefined ? [] : [groupBy];
  const found = await pieceSums(reader, { ...request, pieces, groupBy: groups });
  const steps = new Map<string, number[][]>();
  for (const { piece, values, sums } of found) {
    const value = values[0] ?? '';
    const own = steps.get(value) ?? noSums(starts, figures);
    const [known = []] = [own[piece]];
    own[piece] = known.map((sum, at) => sum + (sums[at] ?? 0));
    steps.set(value, own);
  }
  return steps;
}

/** Nothing in every interval. */
export function noSums(starts: readonly number[], figures: readonly Figure[]): number[][] {
  return starts.map(() => new Array<number>(figures.length).fill(0));
}

import type { Reader } from '../store/ports.ts';
import { SUMS } from '../store/rollups/figures.ts';
import { HOUR_MS } from '../store/rollups/gather.ts';
import { type MonthRow, rollupMonth } from '../store/rollups/month.ts';
import { pieceSums } from '../store/rollups/pieces.ts';
import { piecesAround, unitsAround } from './grid.ts';

/** Sums of a range by key and model, to the request. */
export async function monthOf(
  reader: Reader,
  range: { readonly orgId: string; readonly from: number; readonly to: number },
): Promise<MonthRow[]> {
  const { orgId } = range;
  const pieces = piecesAround(range, HOUR_MS);
  const outside = await pieceSums(reader, { orgId, pieces, groupBy: ['key', 'model'], figures: SUMS });
  const rows = await rollupMonth(reader, { orgId, ...unitsAround(range, HOUR_MS) });
  const byName = Map.groupBy(outside, ({ values }) => values.join('\n'));
  return rows
    .map(({ key, model, sums }) => {
      const left = [...sums];
      for (const piece of byName.get(`${key}\n${model}`) ?? [])
        for (const [at, sum] of piece.sums.entries()) left[at] = Math.max(0, (left[at] ?? 0) - sum);
      return { key, model, sums: left };
    })
    .filter(({ sums }) => (sums[SUMS.indexOf('requests')] ?? 0) > 0);
}

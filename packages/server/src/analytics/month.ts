import type { Reader } from '../store/ports.ts';
import { SUMS } from '../store/rollups/figures.ts';
import { HOUR_MS } from '../store/rollups/gather.ts';
import { type MonthRow, rollupMonth } from '../store/rollups/month.ts';
import { pieceSums } from '../store/rollups/pieces.ts';
import { piecesAround, unitsAround } from './grid.ts';

const DAY_MS = 24 * HOUR_MS;

interface Month {
  readonly orgId: string;
  /** Milliseconds, included. */
  readonly from: number;
  /** Milliseconds, not included. */
  readonly to: number;
}

/** Sums of a range by key and model, to the request. */
export async function monthOf(reader: Reader, range: Month): Promise<MonthRow[]> {
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

/** A row of a month, and the team that its requests were made for. */
export interface BookedRow extends MonthRow {
  /** '' for none. */
  readonly team: string;
}

/**
 * Sums of some keys by the team they had at each request, which only the requests themselves know. A day at a
 * time, so that other reading has its turn.
 */
export async function bookedMonthOf(
  reader: Reader,
  { orgId, from, to }: Month,
  keys: readonly string[],
): Promise<BookedRow[]> {
  if (keys.length === 0) return [];
  const found = new Map<string, BookedRow & { readonly sums: number[] }>();
  const filter = { facet: 'key', any: keys, none: [] } as const;
  for (let at = from; at < to; at += DAY_MS) {
    const pieces = hoursOf(at, Math.min(at + DAY_MS, to));
    const groupBy = ['key', 'model', 'team'] as const;
    for (const { values, sums } of await pieceSums(reader, {
      orgId,
      pieces,
      filter,
      groupBy,
      figures: SUMS,
    })) {
      const [key = '', model = '', team = ''] = values;
      const name = JSON.stringify(values);
      const row = found.get(name) ?? { key, model, team, sums: SUMS.map(() => 0) };
      found.set(name, row);
      for (const [place, sum] of sums.entries()) row.sums[place] = (row.sums[place] ?? 0) + sum;
    }
  }
  return [...found.values()];
}

function hoursOf(from: number, to: number) {
  const count = Math.ceil((to - from) / HOUR_MS);
  return Array.from({ length: count }, (_, n) => ({
    from: from + n * HOUR_MS,
    to: Math.min(from + (n + 1) * HOUR_MS, to),
  }));
}

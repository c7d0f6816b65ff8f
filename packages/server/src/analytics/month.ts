import { keyTeams } from '../store/platform-keys.ts';
import type { Reader } from '../store/ports.ts';
import { SUMS } from '../store/rollups/figures.ts';
import { HOUR_MS } from '../store/rollups/gather.ts';
import { type MonthRow, rollupMonth } from '../store/rollups/month.ts';
import { pieceSums } from '../store/rollups/pieces.ts';
import { keysThatMoved } from '../store/team-moves.ts';
import { piecesAround, unitsAround } from './grid.ts';

const DAY_MS = 24 * HOUR_MS;

export interface Month {
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
interface BookedRow extends MonthRow {
  /** '' for none. */
  readonly team: string;
}

export interface NamedRow extends BookedRow {
  /** Null for a key that is gone. */
  readonly keyName: string | null;
}

/**
 * Sums of some keys by the team they had at each request, which only the requests themselves know. A day at a
 * time, so that other reading has its turn.
 */
async function bookedSums(
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

/**
 * What a month is booked on, by key, model and team. A closed month stays as it is: the requests of a key that moved since are
 * booked on the team that each was made for.
 */
export async function bookedMonth(reader: Reader, month: Month): Promise<NamedRow[]> {
  const keys = await keyTeams(reader, month.orgId);
  const rows = await monthOf(reader, month);
  const changed = new Set(
    rows.flatMap(({ key }) => {
      const { created_at = 0, updated_at = 0 } = keys.get(key) ?? {};
      return updated_at > created_at && updated_at >= month.from ? [key] : [];
    }),
  );
  const mayHaveMoved = (await keysThatMoved(reader, month.orgId, changed, month.from)) ?? changed;
  const booked = await bookedSums(reader, month, [...mayHaveMoved]);
  const others = rows
    .filter(({ key }) => !mayHaveMoved.has(key))
    .map((row) => ({ ...row, team: keys.get(row.key)?.team ?? '' }));
  const placeOf = ({ key, model, team }: BookedRow) => [key, model, team].join('\n');
  return [...others, ...booked]
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    .map((row) => ({ ...row, keyName: keys.get(row.key)?.name ?? null }));
}

function hoursOf(from: number, to: number) {
  const count = Math.ceil((to - from) / HOUR_MS);
  return Array.from({ length: count }, (_, n) => ({
    from: from + n * HOUR_MS,
    to: Math.min(from + (n + 1) * HOUR_MS, to),
  }));
}

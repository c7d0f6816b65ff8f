import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../ports.ts';
import type { Figure } from './figures.ts';
import { MINUTE_MS } from './gather.ts';
import type { Piece, PieceRequest, PieceSums } from './piece.ts';
import { QUARTER_MS } from './quarters.ts';
import { type Facet, isAmong, isDimension } from './read.ts';

/** A piece, or a part of one, by its place among those that were asked for. */
export interface PlacedPiece extends Piece {
  readonly at: number;
}

/**
 * Parts pieces into what `rollup_minutes` stands for and the rows around it: whole minutes where these are kept, whole
 * quarters of an hour before. All is rows where no minutes hold the question.
 */
export function partedAtMinutes({ pieces, minutesSince, filter, conditions, groupBy }: PieceRequest): {
  readonly minutes: readonly PlacedPiece[];
  readonly rest: readonly PlacedPiece[];
} {
  const placed = pieces.map((piece, at) => ({ ...piece, at }));
  const facets = new Set([...groupBy, ...(filter ? [filter.facet] : [])]);
  const isCounted = conditions === undefined && facets.size <= 1 && [...facets].every(isInMinutes);
  if (minutesSince === undefined || !isCounted || pieces.length === 0) return { minutes: [], rest: placed };
  const cut = Math.ceil(minutesSince / QUARTER_MS) * QUARTER_MS;
  const unitAt = (at: number) => (at < cut ? QUARTER_MS : MINUTE_MS);
  const minutes: PlacedPiece[] = [];
  const rest: PlacedPiece[] = [];
  for (const { at, from, to } of placed) {
    const first = Math.ceil(from / unitAt(from)) * unitAt(from);
    const last = Math.floor(to / unitAt(to)) * unitAt(to);
    if (first >= last) rest.push({ at, from, to });
    else {
      minutes.push({ at, from: first, to: last });
      const around = [
        { at, from, to: first },
        { at, from: last, to },
      ];
      rest.push(...around.filter((piece) => piece.from < piece.to));
    }
  }
  return { minutes, rest };
}

/** What whole minutes and quarters hold of each piece, per value. Once per piece and values. */
export async function minuteSums(
  reader: Reader,
  request: PieceRequest,
  pieces: readonly PlacedPiece[],
): Promise<PieceSums[]> {
  const { filter, groupBy } = request;
  const [group] = groupBy;
  if (pieces.length === 0) return [];
  const found = await sumsOfFacet(reader, request, pieces, group ?? filter?.facet ?? 'all');
  if (filter || group === undefined || isDimension(group)) return found;
  // Minutes of a metadata key hold only what has a value; what has none is the rest of everything.
  const all = await sumsOfFacet(reader, { ...request, groupBy: [] }, pieces, 'all');
  const byPiece = Map.groupBy(found, ({ piece }) => piece);
  const without = all.map(({ piece, sums }) => {
    const taken = byPiece.get(piece) ?? [];
    const left = sums.map((sum, at) => taken.reduce((rest, one) => rest - (one.sums[at] ?? 0), sum));
    return { piece, values: [''], sums: left.map((sum) => Math.max(0, sum)) };
  });
  return [...found, ...without];
}

/** Pieces of one statement: SQLite joins 500 selects. */
const PIECES_PER_READ = 100;

async function sumsOfFacet(
  reader: Reader,
  request: PieceRequest,
  pieces: readonly PlacedPiece[],
  facet: Facet | 'all',
): Promise<PieceSums[]> {
  const { groupBy, figures } = request;
  const found: PieceSums[] = [];
  for (let at = 0; at < pieces.length; at += PIECES_PER_READ) {
    const [first, ...others] = pieces
      .slice(at, at + PIECES_PER_READ)
      .map((piece) => sumsOfPiece(reader, request, piece, facet));
    const all = others.reduce((before, each) => before?.unionAll(each), first);
    for (const { piece, group, ...sums } of (await all?.execute()) ?? []) {
      const known: Partial<Record<Figure, number>> = sums;
      const values = groupBy.length > 0 ? [group] : [];
      found.push({ piece, values, sums: figures.map((name) => known[name] ?? 0) });
    }
  }
  return found;
}

/** A select of its own, as in `pieces.ts` and for the same reason. */
function sumsOfPiece(
  reader: Reader,
  { orgId, filter, groupBy, figures }: PieceRequest,
  { at, from, to }: PlacedPiece,
  facet: Facet | 'all',
) {
  let rows = reader
    .selectFrom('rollup_minutes')
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '>=', from)
    .where('at', '<', to);
  const value = sql.ref<string>('value');
  if (filter) rows = rows.where(isAmong(value, filter.any, filter.none));
  const isGrouped = groupBy.length > 0;
  return rows
    .select([
      sql<number>`cast(${at} as integer)`.as('piece'),
      (isGrouped ? value : sql<string>`''`).as('group'),
      ...figures.map((name) => summed(name).as(name)),
    ])
    .groupBy(isGrouped ? ['piece', 'group'] : ['piece']);
}

function summed(name: Figure): RawBuilder<number> {
  return sql<number>`cast(sum(${sql.ref(name)}) as double precision)`;
}

function isInMinutes(facet: Facet): boolean {
  return facet.startsWith('metadata.') || isDimension(facet);
}

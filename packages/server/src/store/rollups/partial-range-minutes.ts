import { sql } from 'kysely';
import type { DatabaseReader } from '../store-interfaces.ts';
import type { PartialRange, PartialRangeRequest, PartialRangeSums } from './partial-range.ts';
import { QUARTER_HOUR_MS } from './quarter-hours.ts';
import { buildValueFilterCondition, isPairedDimension, type RollupFacet } from './read-rollups.ts';
import { MINUTE_MS } from './rollup-accumulator.ts';
import type { RollupFigureColumn } from './rollup-figures.ts';
import { sumAsDouble } from './sum-as-double.ts';

/** A time range of a request, or a part of this range. `index` is the position of the range in the request. */
export interface PartialRangePiece extends PartialRange {
  readonly index: number;
}

/**
 * Splits ranges into whole minutes, whose sums are in `rollup_minutes`, and the rest, whose rows must be
 * read. Uses whole quarter hours where minutes have been merged. Returns only the rest if the rollups cannot
 * provide the requested sums.
 */
export function splitPartialRangesAtMinutes({
  ranges,
  minutesSince,
  filter,
  conditions,
  groupBy,
}: PartialRangeRequest): {
  readonly minutes: readonly PartialRangePiece[];
  readonly rest: readonly PartialRangePiece[];
} {
  const placed = ranges.map((piece, at) => ({ ...piece, index: at }));
  const facets = new Set([...groupBy, ...(filter ? [filter.facet] : [])]);
  const isCounted = conditions === undefined && facets.size <= 1 && [...facets].every(isInMinutes);
  if (minutesSince === undefined || !isCounted || ranges.length === 0) return { minutes: [], rest: placed };
  const cut = Math.ceil(minutesSince / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const unitAt = (at: number) => (at < cut ? QUARTER_HOUR_MS : MINUTE_MS);
  const minutes: PartialRangePiece[] = [];
  const rest: PartialRangePiece[] = [];
  for (const { index, from, to } of placed) {
    const first = Math.ceil(from / unitAt(from)) * unitAt(from);
    const last = Math.floor(to / unitAt(to)) * unitAt(to);
    if (first >= last) rest.push({ index, from, to });
    else {
      minutes.push({ index, from: first, to: last });
      const around = [
        { index, from, to: first },
        { index, from: last, to },
      ];
      rest.push(...around.filter((piece) => piece.from < piece.to));
    }
  }
  return { minutes, rest };
}

/** Returns the sums of whole minutes and quarter hours, by range and group values. */
export async function sumRollupRows(
  reader: DatabaseReader,
  request: PartialRangeRequest,
  pieces: readonly PartialRangePiece[],
): Promise<PartialRangeSums[]> {
  const { filter, groupBy } = request;
  const [group] = groupBy;
  if (pieces.length === 0) return [];
  const found = await sumFacet(reader, request, pieces, group ?? filter?.facet ?? 'all');
  if (filter || group === undefined || isPairedDimension(group)) return found;
  // Minutes of a metadata key contain only requests with a value. Those without are the difference from all
  // requests.
  const all = await sumFacet(reader, { ...request, groupBy: [] }, pieces, 'all');
  const byPiece = Map.groupBy(found, ({ rangeIndex }) => rangeIndex);
  const without = all.map(({ rangeIndex, sums }) => {
    const taken = byPiece.get(rangeIndex) ?? [];
    const left = sums.map((sum, at) => taken.reduce((rest, one) => rest - (one.sums[at] ?? 0), sum));
    return { rangeIndex, values: [''], sums: left.map((sum) => Math.max(0, sum)) };
  });
  return [...found, ...without];
}

/** Maximum number of ranges per statement, because SQLite joins at most 500 selects. */
const RANGES_PER_READ = 100;

async function sumFacet(
  reader: DatabaseReader,
  request: PartialRangeRequest,
  pieces: readonly PartialRangePiece[],
  facet: RollupFacet | 'all',
): Promise<PartialRangeSums[]> {
  const { groupBy, figures } = request;
  const found: PartialRangeSums[] = [];
  for (let at = 0; at < pieces.length; at += RANGES_PER_READ) {
    const [first, ...others] = pieces
      .slice(at, at + RANGES_PER_READ)
      .map((piece) => selectRangeSums(reader, request, piece, facet));
    const all = others.reduce((before, each) => before?.unionAll(each), first);
    for (const { piece, group, ...sums } of (await all?.execute()) ?? []) {
      const known: Partial<Record<RollupFigureColumn, number>> = sums;
      const values = groupBy.length > 0 ? [group] : [];
      found.push({ rangeIndex: piece, values, sums: figures.map((name) => known[name] ?? 0) });
    }
  }
  return found;
}

/**
 * Selects the sums of one range. There is one select per range for the same reason as in
 * `partial-range-sums.ts`.
 */
function selectRangeSums(
  reader: DatabaseReader,
  { orgId, filter, groupBy, figures }: PartialRangeRequest,
  { index, from, to }: PartialRangePiece,
  facet: RollupFacet | 'all',
) {
  let rows = reader
    .selectFrom('rollup_minutes')
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '>=', from)
    .where('at', '<', to);
  const value = sql.ref<string>('value');
  if (filter) rows = rows.where(buildValueFilterCondition(value, filter.any, filter.none));
  const isGrouped = groupBy.length > 0;
  return rows
    .select([
      sql<number>`cast(${index} as integer)`.as('piece'),
      (isGrouped ? value : sql<string>`''`).as('group'),
      ...figures.map((name) => sumAsDouble(sql.ref(name)).as(name)),
    ])
    .groupBy(isGrouped ? ['piece', 'group'] : ['piece']);
}

function isInMinutes(facet: RollupFacet): boolean {
  return facet.startsWith('metadata.') || isPairedDimension(facet);
}

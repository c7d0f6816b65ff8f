import type { SelectQueryBuilder } from 'kysely';
import type { NamedCondition } from './exchange-filters.ts';
import { encodeCursor, type Position } from './pages.ts';
import type { ExchangeRow, Reader } from './ports.ts';
import type { Schema } from './schema.ts';

/** What is looked at first, times the rows of a page; then longer and longer stretches. */
const FIRST_STRETCH = 4;
const STRETCH_GROWS = 4;
const ALL = 2 ** 31;

type Unread = SelectQueryBuilder<Schema, 'exchanges', unknown>;

/** A way back in time along an index, on which each row is looked at. */
export interface Walk {
  /** The rows of the walk that come after a cursor, down to a place that is one of theirs. */
  readonly between: (cursor: string | undefined, end?: Position) => Unread;
  /** Where it begins; undefined with the newest row. */
  readonly cursor: string | undefined;
  /** What no index tells. */
  readonly others: readonly NamedCondition[];
  readonly limit: number;
  /** Rows looked at before it is given up. */
  readonly scanned: number;
}

/** Rows of a page, newest first, and the last place looked at when the page ended there. */
export interface Found {
  readonly rows: readonly ExchangeRow[];
  readonly horizon: Position | undefined;
}

/** The first rows of a walk that pass; a horizon when it was given up before there were enough. */
export async function alongStretches(reader: Reader, walk: Walk): Promise<Found> {
  const { between, others, limit, scanned } = walk;
  if (others.length === 0) {
    const newest = between(walk.cursor).selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
    return { rows: await newest.limit(limit + 1).execute(), horizon: undefined };
  }
  const rows: ExchangeRow[] = [];
  let [cursor, left, size] = [walk.cursor, scanned, limit * FIRST_STRETCH];
  for (;;) {
    size = Math.min(size, left);
    const end = await placeOf(between(cursor), size);
    rows.push(...(await newestOf(reader, between(cursor, end), others, limit + 1 - rows.length)));
    left -= size;
    if (rows.length > limit || !end) return { rows, horizon: undefined };
    if (left <= 0) return { rows, horizon: end };
    [cursor, size] = [encodeCursor(end), size * STRETCH_GROWS];
  }
}

/** Where the row stands that is `nth` newest; undefined where there are fewer. An index tells it alone. */
async function placeOf(ahead: Unread, nth: number): Promise<Position | undefined> {
  const row = await ahead
    .select(['created_at', 'id'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(nth - 1)
    .limit(1)
    .executeTakeFirst();
  return row && { at: row.created_at, id: row.id };
}

/**
 * The newest rows of a stretch that pass. All are looked at, in the order they were written in: backwards, a disk that
 * has to be read gives one page at a time (decisions/0108-rows-on-a-cold-disk.md).
 */
async function newestOf(
  reader: Reader,
  stretch: Unread,
  others: readonly NamedCondition[],
  limit: number,
): Promise<ExchangeRow[]> {
  let passing = stretch.selectAll();
  for (const { condition } of others) passing = passing.where(condition);
  // The limit cuts nothing off; it keeps SQLite from making one order of the two.
  const inOrder = passing.orderBy('created_at').orderBy('id').limit(ALL);
  return reader
    .selectFrom(inOrder.as('walk'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

import type { SelectQueryBuilder } from 'kysely';
import type { FilterCondition } from './exchange-filters.ts';
import { encodeTimeCursor, type TimePosition } from './pagination.ts';
import type { DatabaseReader, ExchangeRow } from './ports.ts';
import type { Schema } from './schema.ts';

/** What is looked at first, times the rows of a page; then longer and longer stretches. */
const FIRST_STEP_FACTOR = 4;
const STEP_GROWTH_FACTOR = 4;
const NO_LIMIT = 2 ** 31;

type UnselectedExchanges = SelectQueryBuilder<Schema, 'exchanges', unknown>;

/** A way back in time along an index, on which each row is looked at. */
export interface ExchangeScan {
  /** The rows of the walk that come after a cursor, down to a place that is one of theirs. */
  readonly between: (cursor: string | undefined, end?: TimePosition) => UnselectedExchanges;
  /** Where it begins; undefined with the newest row. */
  readonly cursor: string | undefined;
  /** What no index tells. */
  readonly residualConditions: readonly FilterCondition[];
  readonly limit: number;
  /** Rows looked at before it is given up. */
  readonly maxScannedRows: number;
}

/** Rows of a page, newest first, and the last place looked at when the page ended there. */
export interface ExchangeScanResult {
  readonly rows: readonly ExchangeRow[];
  readonly scanEnd: TimePosition | undefined;
}

/** The first rows of a walk that pass; a horizon when it was given up before there were enough. */
export async function scanExchangesInSteps(
  reader: DatabaseReader,
  walk: ExchangeScan,
): Promise<ExchangeScanResult> {
  const { between, residualConditions, limit, maxScannedRows } = walk;
  if (residualConditions.length === 0) {
    const newest = between(walk.cursor).selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
    return { rows: await newest.limit(limit + 1).execute(), scanEnd: undefined };
  }
  const rows: ExchangeRow[] = [];
  let [cursor, left, size] = [walk.cursor, maxScannedRows, limit * FIRST_STEP_FACTOR];
  for (;;) {
    size = Math.min(size, left);
    const end = await findNthPosition(between(cursor), size);
    rows.push(
      ...(await selectNewestMatches(
        reader,
        between(cursor, end),
        residualConditions,
        limit + 1 - rows.length,
      )),
    );
    left -= size;
    if (rows.length > limit || !end) return { rows, scanEnd: undefined };
    if (left <= 0) return { rows, scanEnd: end };
    [cursor, size] = [encodeTimeCursor(end), size * STEP_GROWTH_FACTOR];
  }
}

/** Where the row stands that is `nth` newest; undefined where there are fewer. An index tells it alone. */
async function findNthPosition(ahead: UnselectedExchanges, nth: number): Promise<TimePosition | undefined> {
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
 * has to be read gives one page at a time (decisions/0108-unindexed-list-filters-on-a-cold-disk.md).
 */
async function selectNewestMatches(
  reader: DatabaseReader,
  stretch: UnselectedExchanges,
  others: readonly FilterCondition[],
  limit: number,
): Promise<ExchangeRow[]> {
  let passing = stretch.selectAll();
  for (const { condition } of others) passing = passing.where(condition);
  // The limit cuts nothing off; it keeps SQLite from making one order of the two.
  const inOrder = passing.orderBy('created_at').orderBy('id').limit(NO_LIMIT);
  return reader
    .selectFrom(inOrder.as('walk'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

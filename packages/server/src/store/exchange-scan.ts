import type { SelectQueryBuilder } from 'kysely';
import type { ExchangeFilterCondition } from './exchange-filters.ts';
import { encodeTimeCursor, type TimePosition } from './pagination.ts';
import type { DatabaseReader, ExchangeRow } from './ports.ts';
import type { DatabaseSchema } from './schema.ts';

/** Number of rows in the first step, as a multiple of the page size. Later steps have more rows. */
const FIRST_STEP_FACTOR = 4;
const STEP_GROWTH_FACTOR = 4;
const NO_LIMIT = 2 ** 31;

type UnselectedExchanges = SelectQueryBuilder<DatabaseSchema, 'exchanges', unknown>;

/** An index scan from newest to oldest that checks each row. */
export interface ExchangeScan {
  /**
   * Selects the rows of the scan after a cursor. If `end` is given, the selection ends with the row at this
   * position.
   */
  readonly between: (cursor: string | undefined, end?: TimePosition) => UnselectedExchanges;
  /** The cursor after which the scan starts. Undefined to start with the newest row. */
  readonly cursor: string | undefined;
  /** Conditions that the index does not satisfy. */
  readonly residualConditions: readonly ExchangeFilterCondition[];
  readonly limit: number;
  /** Maximum number of rows to scan. */
  readonly maxScannedRows: number;
}

/** The rows of a page, newest first, and the last scanned position if the scan ended early. */
export interface ExchangeScanResult {
  readonly rows: readonly ExchangeRow[];
  readonly scanEnd: TimePosition | undefined;
}

/**
 * Returns the first matching rows of a scan. `scanEnd` is set if the scan ended before it found
 * enough rows.
 */
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

/** Returns the position of the `nth` newest row; undefined if there are fewer. Reads only the index. */
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
 * Returns the newest matching rows of a range. Scans all of its rows in the order in which they were written,
 * because in reverse order a cold disk reads one page at a time
 * (decisions/0108-unindexed-list-filters-on-a-cold-disk.md).
 */
async function selectNewestMatches(
  reader: DatabaseReader,
  stretch: UnselectedExchanges,
  others: readonly ExchangeFilterCondition[],
  limit: number,
): Promise<ExchangeRow[]> {
  let passing = stretch.selectAll();
  for (const { condition } of others) passing = passing.where(condition);
  // The limit has no effect, except that it keeps SQLite from merging the two orders.
  const inOrder = passing.orderBy('created_at').orderBy('id').limit(NO_LIMIT);
  return reader
    .selectFrom(inOrder.as('walk'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

import { type RawBuilder, sql } from 'kysely';
import type { SqlCondition } from './exchange-filters.ts';
import {
  decodeTimeCursor,
  encodeTimeCursor,
  type RowPage,
  type TimePosition,
  toRowPage,
} from './pagination.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/** Maximum number of rows scanned for one page if no index satisfies the filters. */
export const MAX_SCANNED_ROWS = 20_000;
/** Number of rows in the first step, as a multiple of the page size. Later steps have more rows. */
const FIRST_STEP_FACTOR = 4;
const STEP_GROWTH_FACTOR = 4;
const NO_LIMIT = 2 ** 31;

/** A table whose lists are sorted by time, and the name of its time column. */
export type TimeSortedTable =
  | {
      readonly name: 'exchanges' | 'relay_decisions' | 'relay_reports' | 'relay_approvals';
      readonly at: 'created_at';
    }
  | { readonly name: 'audit' | 'alerts'; readonly at: 'at' };

/** The time range and the cursor of a list request. `from` is inclusive, `to` is exclusive. */
export interface TimeScanRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The cursor after which the scan starts. Undefined to start with the newest row. */
  readonly cursor?: string | undefined;
}

/**
 * A scan of an organization’s rows, newest first. Each scanned row is checked against the residual
 * conditions.
 */
export interface TimeScan extends TimeScanRange {
  readonly table: TimeSortedTable;
  readonly orgId: string;
  /**
   * The condition of each index scan. Its index has the columns of the condition between the organization and the
   * time. The condition `true` scans all rows of the organization.
   */
  readonly indexScans: readonly SqlCondition[];
  /** Conditions that the index does not satisfy. */
  readonly residualConditions: readonly SqlCondition[];
  readonly limit: number;
  /** The columns of the rows. Default: all columns. */
  readonly columns?: readonly string[] | undefined;
  /** Maximum number of rows to scan. Default: 20,000. */
  readonly maxScannedRows?: number | undefined;
}

/**
 * Returns a residual condition on a text column that has an index. The expression prevents the database from using
 * this index. With the index, the database would read all matching rows, not only those in the time range of a
 * step.
 */
export function buildResidualEqualityCondition(column: string, value: string | undefined): SqlCondition {
  return sql<boolean>`${sql.ref(column)} || '' = ${value}`;
}

/** The rows of a page, newest first, and the last scanned position if the scan ended early. */
export interface TimeScanResult<Row> {
  readonly rows: readonly Row[];
  readonly scanEnd: TimePosition | undefined;
}

type TimedRow = Readonly<Record<'id', string>> &
  (Readonly<Record<'at', number>> | Readonly<Record<'created_at', number>>);

/**
 * Returns a page of the rows that match all conditions, newest first. Checks residual conditions on a limited
 * number of rows per page, so that no query occupies the reader for long. The page can therefore contain fewer
 * rows than requested, or none, and still have a cursor.
 */
export async function getScannedPage<Row extends TimedRow>(
  reader: DatabaseReader,
  scan: TimeScan,
): Promise<RowPage<Row>> {
  const { rows, scanEnd } = await scanNewestRows<Row>(reader, scan);
  const page = toRowPage(rows, scan.limit, (row) => [getRowTime(row), row.id]);
  return page.nextCursor === null && scanEnd ? { ...page, nextCursor: encodeTimeCursor(scanEnd) } : page;
}

/** Returns the first matching rows. `scanEnd` is set if the scan ended before it found enough rows. */
export async function scanNewestRows<Row extends TimedRow>(
  reader: DatabaseReader,
  scan: TimeScan,
): Promise<TimeScanResult<Row>> {
  const { indexScans, maxScannedRows = MAX_SCANNED_ROWS } = scan;
  const found: TimeScanResult<Row>[] = [];
  for (const condition of indexScans)
    found.push(
      await scanInSteps<Row>(reader, scan, condition, Math.ceil(maxScannedRows / indexScans.length)),
    );
  const horizon = found
    .flatMap(({ scanEnd }) => scanEnd ?? [])
    .sort(comparePositionsNewestFirst)
    .at(0);
  const rows = mergeRowsNewestFirst(found.flatMap((one) => one.rows));
  // Rows that are older than the end of any scan are removed, because this scan may not have found all of them.
  return {
    rows: horizon
      ? rows.filter((row) => comparePositionsNewestFirst(toTimePosition(row), horizon) <= 0)
      : rows,
    scanEnd: horizon,
  };
}

async function scanInSteps<Row>(
  reader: DatabaseReader,
  scan: TimeScan,
  indexCondition: SqlCondition,
  maxScannedRows: number,
): Promise<TimeScanResult<Row>> {
  const { residualConditions, limit } = scan;
  if (residualConditions.length === 0)
    return { rows: await selectNewest<Row>(reader, scan, indexCondition), scanEnd: undefined };
  const rows: Row[] = [];
  let [cursor, left, size] = [scan.cursor, maxScannedRows, limit * FIRST_STEP_FACTOR];
  for (;;) {
    size = Math.min(size, left);
    const ahead = { ...scan, cursor };
    const end = await findNthPosition(reader, ahead, indexCondition, size);
    const more = limit + 1 - rows.length;
    rows.push(...(await selectNewestMatches<Row>(reader, { ...ahead, limit: more }, indexCondition, end)));
    left -= size;
    if (rows.length > limit || !end) return { rows, scanEnd: undefined };
    if (left <= 0) return { rows, scanEnd: end };
    [cursor, size] = [encodeTimeCursor(end), size * STEP_GROWTH_FACTOR];
  }
}

async function selectNewest<Row>(reader: DatabaseReader, scan: TimeScan, indexCondition: SqlCondition) {
  const { rows } =
    await sql<Row>`select ${listColumns(scan)} ${selectedRows(scan, indexCondition)} ${newestFirst(scan)}
    limit ${scan.limit + 1}`.execute(reader);
  return rows;
}

/** Returns the position of the `nth` newest row; undefined if there are fewer. Reads only the index. */
async function findNthPosition(
  reader: DatabaseReader,
  scan: TimeScan,
  indexCondition: SqlCondition,
  nth: number,
): Promise<TimePosition | undefined> {
  const { rows } =
    await sql<TimePosition>`select ${sql.ref(scan.table.at)} as at, id ${selectedRows(scan, indexCondition)}
    ${newestFirst(scan)} limit 1 offset ${nth - 1}`.execute(reader);
  return rows[0];
}

/**
 * Returns the newest matching rows of a range. Scans all of its rows in the order in which they were written,
 * because in reverse order a cold disk reads one page at a time
 * (decisions/0108-unindexed-list-filters-on-an-uncached-database.md).
 */
async function selectNewestMatches<Row>(
  reader: DatabaseReader,
  scan: TimeScan,
  indexCondition: SqlCondition,
  end: TimePosition | undefined,
): Promise<readonly Row[]> {
  const matches = sql.join(scan.residualConditions, sql` and `);
  // The inner limit only prevents SQLite from merging the two `order by` clauses.
  const { rows } =
    await sql<Row>`select * from (select ${listColumns(scan)} ${selectedRows(scan, indexCondition, end)} and ${matches}
    order by ${sql.ref(scan.table.at)}, id limit ${NO_LIMIT}) as walk ${newestFirst(scan)}
    limit ${scan.limit}`.execute(reader);
  return rows;
}

function listColumns({ columns }: TimeScan): RawBuilder<unknown> {
  return columns === undefined ? sql`*` : sql.join(columns.map((column) => sql.ref(column)));
}

function selectedRows(scan: TimeScan, indexCondition: SqlCondition, end?: TimePosition): RawBuilder<unknown> {
  const columns = { time: sql.ref<number>(scan.table.at), id: sql.ref<string>('id') };
  return sql`from ${sql.table(scan.table.name)}
    where org_id = ${scan.orgId} and ${indexCondition} and ${buildTimeRangeCondition(scan, columns, end)}`;
}

function newestFirst({ table }: TimeScan): RawBuilder<unknown> {
  return sql`order by ${sql.ref(table.at)} desc, id desc`;
}

/** The columns with the position of a row. */
export interface TimePositionColumns {
  readonly time: RawBuilder<number>;
  readonly id: RawBuilder<string>;
}

/**
 * Returns the condition for rows in the requested time range, from the cursor back to `end` (the list is newest
 * first). The condition has at most one lower and one upper bound on the time, because SQLite uses an index only for
 * the first bound of each kind.
 */
export function buildTimeRangeCondition(
  { from, to, cursor }: TimeScanRange,
  { time, id }: TimePositionColumns,
  end?: TimePosition,
): SqlCondition {
  const last = cursor === undefined ? null : decodeTimeCursor(cursor);
  const lowest = end?.at ?? from;
  const highest =
    last && !(to !== undefined && to <= last.at) ? last.at : to === undefined ? undefined : to - 1;
  // The conditions on time alone tell PostgreSQL which partitions to skip. SQLite uses an index on an expression
  // and the time only for `between`.
  const conditions = [timeCondition(time, lowest, highest)];
  if (end) conditions.push(sql`(${time} > ${end.at} or ${id} >= ${end.id})`);
  if (last) conditions.push(sql`(${time} < ${last.at} or ${id} < ${last.id})`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function timeCondition(
  time: RawBuilder<number>,
  lowest: number | undefined,
  highest: number | undefined,
): SqlCondition {
  if (lowest !== undefined && highest !== undefined) return sql`${time} between ${lowest} and ${highest}`;
  if (lowest !== undefined) return sql`${time} >= ${lowest}`;
  return highest === undefined ? sql`true` : sql`${time} <= ${highest}`;
}

/** Returns a row's position in a list that is sorted by time. */
export function toTimePosition(row: TimedRow): TimePosition {
  return { at: getRowTime(row), id: row.id };
}

function getRowTime(row: TimedRow): number {
  return 'created_at' in row ? row.created_at : row.at;
}

/** Compares two positions so that the newer one is sorted first. */
export function comparePositionsNewestFirst(one: TimePosition, other: TimePosition): number {
  if (one.at !== other.at) return other.at - one.at;
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1;
}

/** Sorts rows newest first and removes duplicates. */
export function mergeRowsNewestFirst<Row extends TimedRow>(rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) =>
    comparePositionsNewestFirst(toTimePosition(one), toTimePosition(other)),
  );
}

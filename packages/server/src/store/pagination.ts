import type { ListOrder } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { getDatabaseEngine } from './database-engine.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/**
 * A page of rows in the requested order, and the cursor for the next page. The cursor is null if this is the
 * last page.
 */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

interface CursorRequest {
  /** Maximum number of rows, at least 1. The API allows at most 500. */
  readonly limit: number;
  /** `nextCursor` of the previous page. Undefined for the first page. */
  readonly cursor?: string | undefined;
}

/** A request for a page of an organization's rows. */
export interface PageRequest extends CursorRequest {
  readonly orgId: string;
}

/** The column that rows are sorted by. Rows with the same value are sorted by id. */
export interface PageSortKey<Row> {
  readonly key: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly type: 'string' | 'number';
  readonly direction: 'asc' | 'desc';
  positionOf(row: Row): readonly [key: string | number, id: string];
}

/**
 * Returns a page of the rows that `rows` selects, sorted by `keyset`.
 * @throws Fault `invalid_request` for a cursor of another list or order
 */
export function getKeysetPage<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  keyset: PageSortKey<NoInfer<Row>>,
  { limit, cursor }: CursorRequest,
): Promise<RowPage<Row>> {
  return readFirstPage(afterCursor(rows, keyset, cursor), keyset, limit);
}

function afterCursor<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  { key, id, type, direction }: Pick<PageSortKey<never>, 'key' | 'id' | 'type' | 'direction'>,
  cursor: string | undefined,
): SelectQueryBuilder<DB, Table, Row> {
  if (cursor === undefined) return rows;
  const last = decodeKeysetCursor(cursor, type);
  const compared = direction === 'asc' ? sql`>` : sql`<`;
  // Redundant, but tells PostgreSQL which partitions to skip.
  const within = direction === 'asc' ? sql`${key} >= ${last.key}` : sql`${key} <= ${last.key}`;
  return rows.where(sql<boolean>`${within} and (${key}, ${id}) ${compared} (${last.key}, ${last.id})`);
}

async function readFirstPage<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  { key, id, direction, positionOf }: PageSortKey<Row>,
  limit: number,
): Promise<RowPage<Row>> {
  const ordered = rows.orderBy(key, direction).orderBy(id, direction);
  return toRowPage(await ordered.limit(limit + 1).execute(), limit, positionOf);
}

/**
 * Converts up to `limit + 1` rows to a page. If there are more than `limit` rows, the page has a
 * cursor.
 */
export function toRowPage<Row>(
  rows: readonly Row[],
  limit: number,
  place: (row: Row) => readonly [key: string | number, id: string],
): RowPage<Row> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { rows: kept, nextCursor: rows.length > limit && last ? encodeKeysetCursor(...place(last)) : null };
}

/**
 * A request for a list in a time range, in Unix milliseconds. `from` is inclusive, `to` is
 * exclusive.
 */
export interface TimeRangeRequest extends CursorRequest {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type TimedRow<At extends string> = Readonly<Record<At, number>> & { readonly id: string };

/**
 * Returns a page of the rows in a time range, newest first.
 * @param at name of the time column
 * @throws Fault `invalid_request` for a cursor of another list
 */
export function getTimeRangePage<DB, Table extends keyof DB, At extends string, Row extends TimedRow<At>>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  at: At,
  request: TimeRangeRequest,
): Promise<RowPage<Row>> {
  return getNewestPage(filterRowsByTimeRange(rows, at, request), at, request.limit);
}

/**
 * Restricts a query to the rows in a time range. If there is a cursor, only rows after the cursor are included.
 * @throws Fault `invalid_request` for a cursor of another list
 */
export function filterRowsByTimeRange<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  at: string,
  { from, to, cursor }: Omit<TimeRangeRequest, 'limit'>,
): SelectQueryBuilder<DB, Table, Row> {
  let found = rows;
  if (from !== undefined) found = found.where(sql<boolean>`${sql.ref(at)} >= ${from}`);
  if (to !== undefined) found = found.where(sql<boolean>`${sql.ref(at)} < ${to}`);
  return afterCursor(found, newestFirstOrder(at), cursor);
}

/** Returns a page of the newest rows. */
export function getNewestPage<DB, Table extends keyof DB, At extends string, Row extends TimedRow<At>>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  at: At,
  limit: number,
): Promise<RowPage<Row>> {
  return readFirstPage(rows, { ...newestFirstOrder(at), positionOf: (row) => [row[at], row.id] }, limit);
}

function newestFirstOrder(at: string) {
  return { key: sql.ref(at), id: sql.ref('id'), type: 'number', direction: 'desc' } as const;
}

/** A row's position in a list that is sorted by time: Unix milliseconds, then id. */
export interface TimePosition {
  readonly at: number;
  readonly id: string;
}

/** Returns the cursor for the last row of a page. It is opaque to clients. */
export function encodeTimeCursor({ at, id }: TimePosition): string {
  return encodeKeysetCursor(at, id);
}

/**
 * Parses a cursor.
 * @throws Fault `invalid_request` for text that `encodeTimeCursor` did not create
 */
export function decodeTimeCursor(cursor: string): TimePosition {
  const { key, id } = decodeKeysetCursor(cursor, 'number');
  return { at: Number(key), id };
}

/** A request for a page of resources. */
export interface ListRequest extends PageRequest {
  /** The order of the page. If it is absent, the newest resources come first. */
  readonly sort?: ListOrder | undefined;
  /** Text that the id or name must contain. Case-insensitive. */
  readonly search?: string | undefined;
}

/**
 * The columns that a table can be listed by, as SQL names, and how to read their values from a row.
 */
export interface ResourceListColumns<Row> {
  readonly columns: { readonly id: string; readonly name: string; readonly at: string };
  valuesOf(row: Row): { readonly id: string; readonly name: string; readonly at: number };
}

/** The list columns of tables with the columns `id`, `name` and `created_at`. */
export const RESOURCE_LIST_COLUMNS: ResourceListColumns<{
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
}> = {
  columns: { id: 'id', name: 'name', at: 'created_at' },
  valuesOf: ({ id, name, created_at: at }) => ({ id, name, at }),
};

/**
 * Returns a page of resources in the requested order.
 * @throws Fault `invalid_request` for a cursor of another list or order
 */
export async function getResourceListPage<DB, Table extends keyof DB, Row>(
  reader: DatabaseReader,
  rows: SelectQueryBuilder<DB, Table, Row>,
  { columns, valuesOf }: ResourceListColumns<NoInfer<Row>>,
  { search, sort = 'newest', ...asked }: Omit<ListRequest, 'orgId'>,
): Promise<RowPage<Row>> {
  const isNamed = sort === 'name';
  const found =
    search === undefined ? rows : rows.where(buildContainsTextCondition([columns.id, columns.name], search));
  const keyset: PageSortKey<Row> = {
    key: isNamed ? nameOrder(reader, columns.name) : sql.ref(columns.at),
    id: sql.ref(columns.id),
    type: isNamed ? 'string' : 'number',
    direction: sort === 'newest' ? 'desc' : 'asc',
    positionOf(row) {
      const { id, name, at } = valuesOf(row);
      return [isNamed ? toLowerAscii(name) : at, id];
    },
  };
  return getKeysetPage(found, keyset, asked);
}

/** Returns an SQL condition that is true if one of these columns contains `text`, ignoring the case of ASCII letters. */
export function buildContainsTextCondition(columns: readonly string[], text: string) {
  const part = `%${escapeLikePattern(toLowerAscii(text))}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(column)}) like ${part} escape '!'`);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

/** Escapes text for use in `like … escape '!'`. */
export function escapeLikePattern(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/**
 * Returns the SQL for a sort order by name that is the same in both engines: by bytes, with ASCII letters
 * case-insensitive.
 */
function nameOrder(reader: DatabaseReader, column: string) {
  const name = sql.ref(column);
  return getDatabaseEngine(reader) === 'sqlite'
    ? sql<string>`lower(${name})`
    : sql<string>`lower(${name} collate "C") collate "C"`;
}

/** Converts only ASCII letters to lowercase, as SQLite's `lower` does. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns the cursor for the last row of a page: its sort key and id. It is opaque to clients. */
export function encodeKeysetCursor(key: string | number, id: string): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url');
}

/**
 * Parses a cursor.
 * @throws Fault `invalid_request` for text that `encodeKeysetCursor` did not create from a key of
 * this type
 */
export function decodeKeysetCursor(
  cursor: string,
  type: 'string' | 'number',
): { key: string | number; id: string } {
  const [key, id] = parseJsonList(Buffer.from(cursor, 'base64url').toString());
  if (isCursorKey(key) && typeof key === type && typeof id === 'string' && isCursorKey(id))
    return { key, id };
  throw new Fault(
    'invalid_request',
    'The cursor is not valid for this list. Use next_cursor of the previous page.',
    { param: 'cursor' },
  );
}

/** Returns whether a value is a number or text that the database accepts. */
function isCursorKey(value: unknown): value is string | number {
  return typeof value === 'string' ? !value.includes('\0') : Number.isSafeInteger(value);
}

function parseJsonList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

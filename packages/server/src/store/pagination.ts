import type { ListOrder } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { databaseEngineOf } from './database-engine.ts';
import type { DatabaseReader } from './ports.ts';

/** Rows in the order asked for, and where the next page starts; null after the last. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

interface CursorRequest {
  /** At least 1; the API allows 500 at most. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface PageRequest extends CursorRequest {
  readonly orgId: string;
}

/** By what rows are ordered: a key, then the id, for rows of the same key. */
export interface Keyset<Row> {
  readonly key: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly type: 'string' | 'number';
  readonly direction: 'asc' | 'desc';
  positionOf(row: Row): readonly [key: string | number, id: string];
}

/**
 * A page of the rows that `rows` selects: every list of the store comes from here.
 *
 * @throws Fault `invalid_request` for a cursor of another list or order
 */
export function getKeysetPage<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  keyset: Keyset<NoInfer<Row>>,
  { limit, cursor }: CursorRequest,
): Promise<RowPage<Row>> {
  return readFirstPage(afterCursor(rows, keyset, cursor), keyset, limit);
}

function afterCursor<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  { key, id, type, direction }: Pick<Keyset<never>, 'key' | 'id' | 'type' | 'direction'>,
  cursor: string | undefined,
): SelectQueryBuilder<DB, Table, Row> {
  if (cursor === undefined) return rows;
  const last = decodeKeysetCursor(cursor, type);
  const compared = direction === 'asc' ? sql`>` : sql`<`;
  // Implied, but only this tells PostgreSQL which days need no look.
  const within = direction === 'asc' ? sql`${key} >= ${last.key}` : sql`${key} <= ${last.key}`;
  return rows.where(sql<boolean>`${within} and (${key}, ${id}) ${compared} (${last.key}, ${last.id})`);
}

async function readFirstPage<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  { key, id, direction, positionOf }: Keyset<Row>,
  limit: number,
): Promise<RowPage<Row>> {
  const ordered = rows.orderBy(key, direction).orderBy(id, direction);
  return toRowPage(await ordered.limit(limit + 1).execute(), limit, positionOf);
}

/** Makes a page of `limit + 1` rows read: the extra one only says that there is more. */
export function toRowPage<Row>(
  rows: readonly Row[],
  limit: number,
  place: (row: Row) => readonly [key: string | number, id: string],
): RowPage<Row> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { rows: kept, nextCursor: rows.length > limit && last ? encodeKeysetCursor(...place(last)) : null };
}

/** What is asked of a list over time, in milliseconds: `from` is included, `to` is not. */
export interface TimeRangeRequest extends CursorRequest {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type TimedRow<At extends string> = Readonly<Record<At, number>> & { readonly id: string };

/** A page of rows of a time, newest first. @param at column of the time */
export function getTimeRangePage<DB, Table extends keyof DB, At extends string, Row extends TimedRow<At>>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  at: At,
  request: TimeRangeRequest,
): Promise<RowPage<Row>> {
  return getNewestPage(filterTimeRange(rows, at, request), at, request.limit);
}

/** The rows of a time that stand behind the cursor. */
export function filterTimeRange<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  at: string,
  { from, to, cursor }: Omit<TimeRangeRequest, 'limit'>,
): SelectQueryBuilder<DB, Table, Row> {
  let found = rows;
  if (from !== undefined) found = found.where(sql<boolean>`${sql.ref(at)} >= ${from}`);
  if (to !== undefined) found = found.where(sql<boolean>`${sql.ref(at)} < ${to}`);
  return afterCursor(found, newestFirstOrder(at), cursor);
}

/** The newest of some rows. */
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

/** A row's place in a list over time: milliseconds, then id, for rows of the same millisecond. */
export interface TimePosition {
  readonly at: number;
  readonly id: string;
}

/** Opaque to clients: the position of the last row they have. */
export function encodeTimeCursor({ at, id }: TimePosition): string {
  return encodeKeysetCursor(at, id);
}

/** @throws Fault `invalid_request` for anything `encodeTimeCursor` did not make */
export function decodeTimeCursor(cursor: string): TimePosition {
  const { key, id } = decodeKeysetCursor(cursor, 'number');
  return { at: Number(key), id };
}

/** What is asked of a list of objects. */
export interface ListRequest extends PageRequest {
  /** Absent: newest first. */
  readonly sort?: ListOrder | undefined;
  /** Part of the id or the name, in any case. */
  readonly search?: string | undefined;
}

/** Columns by which a table is listed, as SQL names them, and their values in a row. */
export interface ListColumns<Row> {
  readonly columns: { readonly id: string; readonly name: string; readonly at: string };
  valuesOf(row: Row): { readonly id: string; readonly name: string; readonly at: number };
}

/** Of tables whose columns are called `id`, `name` and `created_at`. */
export const DEFAULT_LIST_COLUMNS: ListColumns<{
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
}> = {
  columns: { id: 'id', name: 'name', at: 'created_at' },
  valuesOf: ({ id, name, created_at: at }) => ({ id, name, at }),
};

/** A page of objects, in the order asked for. @throws Fault `invalid_request` for a cursor of another list or order */
export async function getListPage<DB, Table extends keyof DB, Row>(
  reader: DatabaseReader,
  rows: SelectQueryBuilder<DB, Table, Row>,
  { columns, valuesOf }: ListColumns<NoInfer<Row>>,
  { search, sort = 'newest', ...asked }: Omit<ListRequest, 'orgId'>,
): Promise<RowPage<Row>> {
  const isNamed = sort === 'name';
  const found = search === undefined ? rows : rows.where(containsText([columns.id, columns.name], search));
  const keyset: Keyset<Row> = {
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

/** Whether one of these columns holds a text, in any case. */
export function containsText(columns: readonly string[], text: string) {
  const part = `%${escapeLikePattern(text.toLowerCase())}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(column)}) like ${part} escape '!'`);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

/** A text that stands for itself in `like … escape '!'`. */
export function escapeLikePattern(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** The same order in both engines: bytes, with the letters of ASCII in any case. */
function nameOrder(reader: DatabaseReader, column: string) {
  const name = sql.ref(column);
  return databaseEngineOf(reader) === 'sqlite'
    ? sql<string>`lower(${name})`
    : sql<string>`lower(${name} collate "C") collate "C"`;
}

export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Opaque to clients: by what the last row they have is ordered, and its id. */
export function encodeKeysetCursor(key: string | number, id: string): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url');
}

/** @throws Fault `invalid_request` for anything `encodeKeysetCursor` did not make of a key of this type */
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

/** What a database takes as a number or a text. */
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

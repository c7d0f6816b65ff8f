import type { ListOrder } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { type SelectQueryBuilder, sql } from 'kysely';
import { engineOf } from './engine.ts';
import type { Reader } from './ports.ts';

/** Rows newest first, and where the next page starts; null after the last. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly orgId: string;
  /** At least 1; the API allows 500 at most. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

/** A row's place in a list: time in milliseconds, then id, for rows of the same millisecond. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** Opaque to clients: the position of the last row they have. */
export function encodeCursor({ at, id }: Position): string {
  return Buffer.from(`${at}:${id}`).toString('base64url');
}

/** @throws Fault `invalid_request` for anything `encodeCursor` did not make. */
export function decodeCursor(cursor: string): Position {
  const [, at, id] = /^(\d{1,15}):([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at === undefined || id === undefined)
    throw new Fault('invalid_request', 'The cursor is not one that this list gave out.', { param: 'cursor' });
  return { at: Number(at), id };
}

/** Makes a page of `limit + 1` rows read: the extra one only says that there is more. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): Page<Row> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { rows: kept, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}

/** What is asked of a list of objects. */
export interface ListRequest extends PageRequest {
  /** Absent: newest first. */
  readonly sort?: ListOrder | undefined;
  /** Part of the id or the name, in any case. */
  readonly search?: string | undefined;
}

/** Columns by which a table is listed, as SQL names them, and their values in a row. */
export interface Listing<Row> {
  readonly columns: { readonly id: string; readonly name: string; readonly at: string };
  place(row: Row): { readonly id: string; readonly name: string; readonly at: number };
}

/** A page of the rows that `rows` selects, in the order asked for. @throws Fault `invalid_request` for a cursor of another list or order */
export async function pageOf<DB, Table extends keyof DB, Row>(
  reader: Reader,
  rows: SelectQueryBuilder<DB, Table, Row>,
  { columns, place }: Listing<Row>,
  { limit, cursor, search, sort = 'newest' }: ListRequest,
): Promise<Page<Row>> {
  const isNamed = sort === 'name';
  const order = isNamed ? byName(reader, columns.name) : sql.ref<number>(columns.at);
  const id = sql.ref(columns.id);
  const ascends = sort !== 'newest';
  let query = rows;
  if (search !== undefined) query = query.where(matches([columns.id, columns.name], search));
  if (cursor !== undefined) {
    const last = readCursor(cursor, isNamed ? 'string' : 'number');
    const behind = ascends ? sql`>` : sql`<`;
    query = query.where(sql<boolean>`(${order}, ${id}) ${behind} (${last.key}, ${last.id})`);
  }
  const direction = ascends ? 'asc' : 'desc';
  const found = await query
    .orderBy(order, direction)
    .orderBy(id, direction)
    .limit(limit + 1)
    .execute();
  const kept = found.slice(0, limit);
  const last = kept.at(-1);
  if (found.length <= limit || last === undefined) return { rows: kept, nextCursor: null };
  const at = place(last);
  return { rows: kept, nextCursor: writeCursor(isNamed ? lowerAscii(at.name) : at.at, at.id) };
}

/** Whether one of these columns holds a text, in any case. */
export function matches(columns: readonly string[], text: string) {
  const part = `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(column)}) like ${part} escape '!'`);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

/** The same order in both engines: bytes, with the letters of ASCII in any case. */
function byName(reader: Reader, column: string) {
  const name = sql.ref(column);
  return engineOf(reader) === 'sqlite'
    ? sql<string>`lower(${name})`
    : sql<string>`lower(${name} collate "C") collate "C"`;
}

export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Opaque to clients: by what the last row they have is ordered, and its id. */
export function writeCursor(key: string | number, id: string): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url');
}

/** @throws Fault `invalid_request` for anything `writeCursor` did not make of a key of this type */
export function readCursor(cursor: string, type: 'string' | 'number'): { key: string | number; id: string } {
  const [key, id] = listIn(Buffer.from(cursor, 'base64url').toString());
  const isKey = (typeof key === 'string' || typeof key === 'number') && typeof key === type;
  if (isKey && typeof id === 'string') return { key, id };
  throw new Fault('invalid_request', 'The cursor is not one that this list gave out.', { param: 'cursor' });
}

function listIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

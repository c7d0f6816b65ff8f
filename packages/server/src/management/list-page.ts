import type { ListOrder } from '@floe/contract/api/page';
import { decodeKeysetCursor, encodeKeysetCursor, type RowPage, toLowerAscii } from '../store/pagination.ts';

/** The fields that an object is sorted and searched by. */
export interface ListItemSortAndSearchFields {
  readonly id: string;
  /** Absent: the id is the name. */
  readonly name?: string;
  /**
   * Creation time in Unix milliseconds. Null or absent for objects without one. Such objects sort as oldest.
   */
  readonly createdAt?: number | null;
}

/** The query parameters of a list. */
export interface ListPageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Absent, or an order that only this list has: `entries` are in that order. */
  readonly sort?: string | undefined;
  readonly search?: string | undefined;
}

interface SortableItem<Entry> {
  readonly item: Entry;
  readonly id: string;
  /** Sort key. Its index if the list has its own order. */
  readonly key: string | number;
}

/**
 * Returns one page of an in-memory list, in the format of list responses.
 * @throws Fault `invalid_request` for a cursor of another list or order
 */
export function paginateListForResponse<Entry>(
  entries: readonly Entry[],
  getListFields: (entry: Entry) => ListItemSortAndSearchFields,
  query: ListPageQuery,
) {
  const { rows, nextCursor } = paginateList(entries, getListFields, query);
  return { data: [...rows], next_cursor: nextCursor };
}

/**
 * Returns one page of an in-memory list. Supports the same orders and search as `getResourceListPage`.
 *
 * @throws Fault `invalid_request` for a cursor of another list or order
 */
export function paginateList<Entry>(
  entries: readonly Entry[],
  getListFields: (entry: Entry) => ListItemSortAndSearchFields,
  { limit, cursor, sort, search }: ListPageQuery,
): RowPage<Entry> {
  const part = search === undefined ? undefined : toLowerAscii(search);
  const found = entries.filter(
    (entry) => part === undefined || searchableText(getListFields(entry)).includes(part),
  );
  const order = parseListOrder(sort);
  const ordered = sortItems(found, getListFields, order);
  const start = cursor === undefined ? 0 : findPageStart(ordered, cursor, order);
  const kept = ordered.slice(start, start + limit);
  const last = kept.at(-1);
  const nextCursor = last && start + limit < ordered.length ? encodeKeysetCursor(last.key, last.id) : null;
  return { rows: kept.map(({ item }) => item), nextCursor };
}

function searchableText({ id, name = id }: ListItemSortAndSearchFields): string {
  return toLowerAscii(`${id}\n${name}`);
}

function parseListOrder(sort: string | undefined): ListOrder | 'own' {
  return sort === 'newest' || sort === 'oldest' || sort === 'name' ? sort : 'own';
}

function sortItems<Entry>(
  entries: readonly Entry[],
  getListFields: (entry: Entry) => ListItemSortAndSearchFields,
  order: ListOrder | 'own',
): SortableItem<Entry>[] {
  const items = entries.map((entry, index): SortableItem<Entry> => {
    const { id, name = id, createdAt } = getListFields(entry);
    if (order === 'own') return { item: entry, id, key: index };
    return { item: entry, id, key: order === 'name' ? toLowerAscii(name) : (createdAt ?? 0) };
  });
  if (order === 'own') return items;
  const direction = order === 'newest' ? -1 : 1;
  return items.sort((one, other) => direction * compareItems(one, other));
}

/** Compares like both databases: numbers by value, strings by their bytes, then ids by their bytes. */
function compareItems(
  one: Omit<SortableItem<unknown>, 'item'>,
  other: Omit<SortableItem<unknown>, 'item'>,
): number {
  const keys =
    typeof one.key === 'number' && typeof other.key === 'number'
      ? one.key - other.key
      : Buffer.compare(Buffer.from(String(one.key)), Buffer.from(String(other.key)));
  return keys || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
}

/** Index of the first item after a cursor, also if the item of the cursor was removed. */
function findPageStart(
  ordered: readonly SortableItem<unknown>[],
  cursor: string,
  order: ListOrder | 'own',
): number {
  const last = decodeKeysetCursor(cursor, order === 'name' ? 'string' : 'number');
  const same = ordered.findIndex(({ id, key }) => id === last.id && (order === 'own' || key === last.key));
  if (same !== -1) return same + 1;
  // The item after the removed one now has its index.
  if (order === 'own') return Math.max(0, Number(last.key));
  const direction = order === 'newest' ? -1 : 1;
  const behind = ordered.findIndex((one) => direction * compareItems(one, last) > 0);
  return behind === -1 ? ordered.length : behind;
}

import type { ListOrder } from '@floe/contract/api/page';
import { lowerAscii, type Page, readCursor, writeCursor } from '../store/pages.ts';

/** What an object is ordered and searched by. */
export interface ListPlace {
  readonly id: string;
  /** Absent: its id. */
  readonly name?: string;
  /** When it was made, in milliseconds; null or absent for what has no such time: the oldest. */
  readonly at?: number | null;
}

export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Absent, or an order of the list itself: as `entries` stand. */
  readonly sort?: string | undefined;
  readonly search?: string | undefined;
}

interface Placed<Entry> {
  readonly entry: Entry;
  readonly id: string;
  /** By which it is ordered; its index in an order of the list itself. */
  readonly key: string | number;
}

/** A page of a list that is read whole, as an answer shows it. @throws Fault as `pageOfList` */
export function listPage<Entry>(
  entries: readonly Entry[],
  place: (entry: Entry) => ListPlace,
  query: ListQuery,
) {
  const { rows, nextCursor } = pageOfList(entries, place, query);
  return { data: [...rows], next_cursor: nextCursor };
}

/**
 * A page of a list that is read whole, with the orders and the search of `pageOf`.
 *
 * @throws Fault `invalid_request` for a cursor of another list or order
 */
export function pageOfList<Entry>(
  entries: readonly Entry[],
  place: (entry: Entry) => ListPlace,
  { limit, cursor, sort, search }: ListQuery,
): Page<Entry> {
  const part = search?.toLowerCase();
  const found = entries.filter((entry) => part === undefined || textOf(place(entry)).includes(part));
  const order = orderOf(sort);
  const ordered = inOrder(found, place, order);
  const start = cursor === undefined ? 0 : startBehind(ordered, cursor, order);
  const kept = ordered.slice(start, start + limit);
  const last = kept.at(-1);
  const nextCursor = last && start + limit < ordered.length ? writeCursor(last.key, last.id) : null;
  return { rows: kept.map(({ entry }) => entry), nextCursor };
}

function textOf({ id, name = id }: ListPlace): string {
  return `${id}\n${name}`.toLowerCase();
}

function orderOf(sort: string | undefined): ListOrder | 'own' {
  return sort === 'newest' || sort === 'oldest' || sort === 'name' ? sort : 'own';
}

function inOrder<Entry>(
  entries: readonly Entry[],
  place: (entry: Entry) => ListPlace,
  order: ListOrder | 'own',
): Placed<Entry>[] {
  const placed = entries.map((entry, index): Placed<Entry> => {
    const { id, name = id, at } = place(entry);
    if (order === 'own') return { entry, id, key: index };
    return { entry, id, key: order === 'name' ? lowerAscii(name) : (at ?? 0) };
  });
  if (order === 'own') return placed;
  const direction = order === 'newest' ? -1 : 1;
  return placed.sort((one, other) => direction * compare(one, other));
}

/** As both database engines order: numbers, or texts by their bytes; then ids by their bytes. */
function compare(one: Omit<Placed<unknown>, 'entry'>, other: Omit<Placed<unknown>, 'entry'>): number {
  const keys =
    typeof one.key === 'number' && typeof other.key === 'number'
      ? one.key - other.key
      : Buffer.compare(Buffer.from(String(one.key)), Buffer.from(String(other.key)));
  return keys || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
}

/** Where the page behind a cursor begins, also when what the cursor names is gone. */
function startBehind(ordered: readonly Placed<unknown>[], cursor: string, order: ListOrder | 'own'): number {
  const last = readCursor(cursor, order === 'name' ? 'string' : 'number');
  const same = ordered.findIndex(({ id, key }) => id === last.id && (order === 'own' || key === last.key));
  if (same !== -1) return same + 1;
  // Whatever stood behind it has moved into its place.
  if (order === 'own') return Math.max(0, Number(last.key));
  const direction = order === 'newest' ? -1 : 1;
  const behind = ordered.findIndex((one) => direction * compare(one, last) > 0);
  return behind === -1 ? ordered.length : behind;
}

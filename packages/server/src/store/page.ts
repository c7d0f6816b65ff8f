import { Fault } from '@floe/contract/faults';

/** Which part of a list is wanted: at most `limit` rows after the one that `cursor` stands for. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Where a list that is ordered by time and id goes on. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** @throws Fault `invalid_request` when `cursor` did not come from `pageOf` */
export function positionOf(cursor: string): Position {
  const [, at, id] = /^(\d{1,15})\.([\w-]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at === undefined || id === undefined)
    throw new Fault('invalid_request', 'cursor: is no next_cursor of this list', { param: 'cursor' });
  return { at: Number(at), id };
}

/** Cuts a page from `limit + 1` rows: the extra row tells that there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  positionIn: (row: Row) => Position,
): Page<Row> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last === undefined) return { rows, nextCursor: null };
  const { at, id } = positionIn(last);
  return { rows: rows.slice(0, limit), nextCursor: Buffer.from(`${at}.${id}`).toString('base64url') };
}

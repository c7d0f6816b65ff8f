import { Fault } from '@floe/contract/faults';

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

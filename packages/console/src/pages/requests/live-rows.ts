import type { RequestRow } from '@floe/contract/api/analytics';
import { isObject } from '@floe/contract/json';
import { mergeRequestRows } from './request-rows.ts';

/** So many rows that arrived are held; older ones are read again by scrolling. */
const MAX_ROWS = 5_000;

/** Rows that arrived while a list is shown. */
export interface LiveRows {
  readonly rows: readonly RequestRow[];
  /** Arrived while the reader was busy: they wait. */
  readonly pending: readonly RequestRow[];
  /** How many of the waiting ones the server counted without telling them one by one. */
  readonly omitted: number;
  /** Between these rows there are others that were not told: the list must be read to have them. */
  readonly hasGap: boolean;
}

export const NO_LIVE_ROWS: LiveRows = { rows: [], pending: [], omitted: 0, hasGap: false };

/** What came at once. */
export interface LiveBatch {
  readonly rows: readonly RequestRow[];
  /** Rows that were counted and not told; null when they may be some, nobody knows how many. */
  readonly omitted: number | null;
}

/** The tail with one more batch: behind the reader's back while busy, else on top with what waited. */
export function addLiveBatch(
  tail: LiveRows,
  batch: LiveBatch,
  known: ReadonlySet<string>,
  isBusy: boolean,
): LiveRows {
  const fresh = batch.rows.filter(({ id }) => !known.has(id));
  const hasGap = tail.hasGap || batch.omitted !== 0;
  if (isBusy) {
    const shown = new Set(tail.rows.map(({ id }) => id));
    const waiting = fresh.filter(({ id }) => !shown.has(id));
    if (waiting.length === 0 && !batch.omitted && hasGap === tail.hasGap) return tail;
    return {
      rows: tail.rows,
      pending: mergeRequestRows(tail.pending, waiting, MAX_ROWS),
      omitted: tail.omitted + (batch.omitted ?? 0),
      hasGap,
    };
  }
  if (fresh.length === 0 && tail.pending.length === 0 && hasGap === tail.hasGap) return tail;
  const rows = mergeRequestRows(tail.rows, [...tail.pending, ...fresh], MAX_ROWS);
  // The oldest were let go: between these and the list there are others now.
  return { rows, pending: [], omitted: 0, hasGap: hasGap || rows.length === MAX_ROWS };
}

/** What an event of the topic `requests` tells; null for one that tells nothing, such as `resync`. */
export function parseLiveBatch(data: unknown): LiveBatch | null {
  if (!isObject(data)) return null;
  const { count, data: rows } = data;
  if (typeof count !== 'number' || !isRows(rows)) return null;
  return { rows, omitted: Math.max(0, count - rows.length) };
}

/** The contract's rows, as the server's own tests hold them against the schema. */
function isRows(value: unknown): value is readonly RequestRow[] {
  return Array.isArray(value) && value.every((row) => isObject(row) && typeof row['id'] === 'string');
}

import type { RequestRow } from '@floe/contract/api/analytics';
import { isJsonObject } from '@floe/contract/json';
import { mergeRequestRows } from './request-rows.ts';

/** Maximum number of live rows in memory. Older rows load again on scroll. */
const MAX_ROWS = 5_000;

/**
 * The rows that have arrived since the list was loaded. `rows` are shown in the list. `pending` rows wait to be
 * shown.
 */
export interface LiveRowsState {
  readonly rows: readonly RequestRow[];
  /** Rows that arrived while rows must not move. They wait until the user shows them. */
  readonly pending: readonly RequestRow[];
  /** Number of waiting rows that the server counted but did not send. */
  readonly omitted: number;
  /** Whether rows between these rows were not sent, so that the list must be reloaded to show them. */
  readonly hasGap: boolean;
}

/** The state before any row has arrived. */
export const NO_LIVE_ROWS: LiveRowsState = { rows: [], pending: [], omitted: 0, hasGap: false };

/** Rows that arrived in one event. */
export interface LiveBatch {
  readonly rows: readonly RequestRow[];
  /** Number of rows that were counted but not sent. Null if an unknown number may be missing. */
  readonly omitted: number | null;
}

/**
 * Returns the live rows after a batch has arrived. If `isBusy` is true, the batch waits, because rows must not
 * move. Otherwise, the batch and all waiting rows are added at the top.
 * @param known The IDs of the rows that the loaded list contains.
 */
export function addLiveBatch(
  tail: LiveRowsState,
  batch: LiveBatch,
  known: ReadonlySet<string>,
  isBusy: boolean,
): LiveRowsState {
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
  // The oldest rows were discarded, so rows are missing between these rows and the list.
  return { rows, pending: [], omitted: 0, hasGap: hasGap || rows.length === MAX_ROWS };
}

/** Parses an event of the topic `requests`. Returns null for an event without data, such as `resync`. */
export function parseLiveBatch(data: unknown): LiveBatch | null {
  if (!isJsonObject(data)) return null;
  const { count, data: rows } = data;
  if (typeof count !== 'number' || !isRows(rows)) return null;
  return { rows, omitted: Math.max(0, count - rows.length) };
}

/** Whether the value is a list of rows. Server tests check the rows against the contract. */
function isRows(value: unknown): value is readonly RequestRow[] {
  return Array.isArray(value) && value.every((row) => isJsonObject(row) && typeof row['id'] === 'string');
}

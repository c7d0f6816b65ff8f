import { requireValidTimeRange } from '../time-range.ts';

const DAY_MS = 86_400_000;
const DEFAULT_RANGE_MS = 30 * DAY_MS;

/**
 * Returns a query's time range in Unix milliseconds.
 * @throws the faults of `requireValidTimeRange`
 */
export function resolveHistoryRange(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_RANGE_MS : Date.parse(query.from);
  requireValidTimeRange(fromMs, toMs);
  return { fromMs, toMs };
}

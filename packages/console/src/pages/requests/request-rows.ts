import type { RequestRow } from '@floe/contract/api/analytics';
import type { SelectedTimeRange } from '../../filters/time-range.ts';
import { formatClockTime, formatShortDate, formatTimeOrDateTime } from '../../format/times.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import { requestsText } from './text.ts';

/** Derives the values of a request that the list, the drawer and the page share. Pure. */

/**
 * How the list shows the outcome of a request: an icon, a status such as `429` and a reason such as `rate
 * limit`.
 */
export interface OutcomeDisplay {
  readonly state: DisplayStatus;
  readonly status: string;
  readonly reason: string | null;
}

const REASONS: Readonly<Record<string, string>> = requestsText.reasons;

/**
 * Returns how the list shows the outcome of a request. For an error code without a short reason, the reason
 * is the code without underscores.
 */
export function getOutcomeDisplay({ outcome, status, error_code }: RequestRow): OutcomeDisplay {
  const reason = error_code === null ? null : (REASONS[error_code] ?? error_code.replaceAll('_', ' '));
  switch (outcome) {
    case 'succeeded':
      return { state: 'healthy', status: String(status), reason: null };
    case 'cached':
      return { state: 'cached', status: requestsText.outcomes.cached(status), reason: null };
    case 'partial':
      return { state: 'partial', status: requestsText.outcomes.partial, reason };
    case 'aborted':
      return { state: 'aborted', status: requestsText.outcomes.aborted, reason: null };
    case 'blocked':
      return { state: 'blocked', status: String(status), reason };
    default:
      return { state: 'failing', status: String(status), reason };
  }
}

/** Returns the requested model. If another model served the request, returns that model too. */
export function getRequestModels(row: RequestRow): {
  readonly asked: string;
  readonly served: string | null;
} {
  const asked = row.model_requested ?? row.model ?? '–';
  const full = row.provider && row.model ? `${row.provider}/${row.model}` : row.model;
  return { asked, served: full === null || full === asked || row.model === asked ? null : full };
}

/**
 * Splits a model ID such as `openai/gpt-5` into the provider with the slash (`openai/`) and the model name. The
 * provider is empty if the ID contains no slash.
 */
export function splitModelIdForDisplay(model: string): { readonly provider: string; readonly name: string } {
  const cut = model.indexOf('/');
  return cut === -1
    ? { provider: '', name: model }
    : { provider: model.slice(0, cut + 1), name: model.slice(cut + 1) };
}

/**
 * Returns whether the request has a cost, even if its price is unknown. Rejected, failed and cached requests
 * have no cost, and neither have aborted requests without usage.
 */
export function isCharged({ state, usage }: Pick<RequestRow, 'state' | 'usage'>): boolean {
  return state === 'complete' || state === 'partial' || (state === 'aborted' && usage.source !== 'none');
}

/** Returns the model that served the request if it has no price, otherwise null. */
export function findUnpricedModel(row: RequestRow): string | null {
  const { cost_nano_usd, provider, model, usage } = row;
  const isUnknown = cost_nano_usd === null && isCharged(row) && usage.source !== 'none';
  return isUnknown && provider !== null && model !== null ? `${provider}/${model}` : null;
}

/**
 * Formats the time of a request as `12:26:39`, with `ms` as `12:26:39.665`, or as `21 Nov, 12:26` if it was not on
 * the same day as `now`.
 */
export function formatRequestTime(at: Date, zone: string, now: Date, ms = false): string {
  const isToday = formatShortDate(at, zone, now) === formatShortDate(now, zone, now);
  return isToday ? formatClockTime(at, zone, ms) : formatTimeOrDateTime(at, zone, now);
}

/** Formats a metadata value. A value that is not text is shown as JSON. */
export function formatMetadataValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the metadata keys that occur in the rows, at most 20. */
export function listMetadataKeys(rows: readonly Pick<RequestRow, 'metadata'>[]): string[] {
  const found = new Set<string>();
  for (const { metadata } of rows) {
    for (const name of Object.keys(metadata)) found.add(name);
    if (found.size >= 20) break;
  }
  return [...found].sort().slice(0, 20);
}

/**
 * Merges new rows into the known rows, newest first, without duplicates and with at most `maxRows` rows. The
 * known rows must be sorted.
 */
export function mergeRequestRows(
  known: readonly RequestRow[],
  fresh: readonly RequestRow[],
  maxRows = 20_000,
): RequestRow[] {
  const ids = new Set(fresh.map(({ id }) => id));
  const added = [...new Map(fresh.map((row) => [row.id, row])).values()].sort(newestFirst);
  const rows: RequestRow[] = [];
  let next = 0;
  for (const row of known) {
    if (ids.has(row.id)) continue;
    for (let one = added[next]; one && newestFirst(one, row) < 0; one = added[next]) {
      rows.push(one);
      next += 1;
    }
    rows.push(row);
  }
  rows.push(...added.slice(next));
  return rows.length > maxRows ? rows.slice(0, maxRows) : rows;
}

/**
 * Returns an absolute time range that contains the displayed rows and no newer ones. If the selected range is
 * relative, the result ends with the newest displayed row.
 */
export function toAbsoluteTimeRange(
  { from, to, range }: SelectedTimeRange,
  newest: Pick<RequestRow, 'created_at'> | undefined,
  now: Date,
): Pick<SelectedTimeRange, 'from' | 'to'> {
  if (range === null) return { from, to };
  return { from, to: newest ? new Date(Date.parse(newest.created_at) + 1) : now };
}

function newestFirst(a: RequestRow, b: RequestRow): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

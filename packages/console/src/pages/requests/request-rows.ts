import type { ExchangeAttempt, RequestRow } from '@floe/contract/api/analytics';
import type { SelectedTimeRange } from '../../filters/time-range.ts';
import { formatCount, formatDuration, formatExactMoney } from '../../format/amounts.ts';
import type { DisplayStatus } from '../../ui/status.tsx';

/** What one request says about itself, in words the list, the drawer and the page share. Pure. */

/** A shape, a status and a reason: `429` and `rate limit`. */
export interface OutcomeDisplay {
  readonly state: DisplayStatus;
  readonly status: string;
  readonly reason: string | null;
}

const REASONS: Readonly<Record<string, string>> = {
  rate_limit_exceeded: 'rate limit',
  budget_exceeded: 'budget',
  budget_reserved: 'budget reserved',
  price_unknown: 'price unknown',
  model_not_allowed: 'model not allowed',
  policy_denied: 'policy',
  first_token_timeout: 'timeout',
  upstream_timeout: 'timeout',
  invalid_api_key: 'key',
};

/** How a request ended. A code without a word of its own is shown as it is, with blanks. */
export function outcomeOf({ outcome, status, error_code }: RequestRow): OutcomeDisplay {
  const reason = error_code === null ? null : (REASONS[error_code] ?? error_code.replaceAll('_', ' '));
  switch (outcome) {
    case 'succeeded':
      return { state: 'healthy', status: String(status), reason: null };
    case 'cached':
      return { state: 'cached', status: `${status} cached`, reason: null };
    case 'partial':
      return { state: 'partial', status: 'Partial', reason };
    case 'aborted':
      return { state: 'aborted', status: 'Client left', reason: null };
    case 'blocked':
      return { state: 'blocked', status: String(status), reason };
    default:
      return { state: 'failing', status: String(status), reason };
  }
}

/** The model asked for, and the one that served when that is another. */
export function requestModels(row: RequestRow): { readonly asked: string; readonly served: string | null } {
  const asked = row.model_requested ?? row.model ?? '–';
  const full = row.provider && row.model ? `${row.provider}/${row.model}` : row.model;
  return { asked, served: full === null || full === asked || row.model === asked ? null : full };
}

/** Provider and bare id of `openai/gpt-5`; the provider is the quieter half. */
export function modelIdParts(model: string): { readonly provider: string; readonly name: string } {
  const cut = model.indexOf('/');
  return cut === -1
    ? { provider: '', name: model }
    : { provider: model.slice(0, cut + 1), name: model.slice(cut + 1) };
}

/** Whether something was used that has a price, known or not. */
export function isCharged({ state, usage }: Pick<RequestRow, 'state' | 'usage'>): boolean {
  return state === 'complete' || state === 'partial' || (state === 'aborted' && usage.source !== 'none');
}

/** The model that served a request which nobody knows the price of; null where that is not so. */
export function unpricedModel(row: RequestRow): string | null {
  const { cost_nano_usd, provider, model, usage } = row;
  const isUnknown = cost_nano_usd === null && isCharged(row) && usage.source !== 'none';
  return isUnknown && provider !== null && model !== null ? `${provider}/${model}` : null;
}

/** Output tokens per second from the first token to the end; null when it was not streamed or too short to tell. */
export function outputSpeed({ usage, latency_ms, first_token_ms }: RequestRow): number | null {
  const ms = first_token_ms === null ? 0 : latency_ms - first_token_ms;
  return ms < 20 || !usage.output_tokens ? null : (usage.output_tokens / ms) * 1000;
}

/** What is said over a request whose answer broke off; null for any other. */
export function describeInterruption(
  row: RequestRow,
): { readonly state: 'partial' | 'aborted'; readonly text: string } | null {
  const { state, latency_ms, first_token_ms, usage, provider, error_source, stream } = row;
  const at = formatDuration(latency_ms);
  const about = usage.source === 'estimated' ? 'about ' : '';
  const had = usage.output_tokens ? `${about}${formatCount(usage.output_tokens)} tokens` : 'nothing';
  if (state === 'partial') {
    const who = error_source === 'gateway' ? 'Floe' : (provider ?? 'The provider');
    return {
      state: 'partial',
      text: `${who} stopped at ${at}. The client got ${had}${stream ? ' and an error event' : ''}.`,
    };
  }
  if (state !== 'aborted') return null;
  const got = first_token_ms === null ? 'before the first token' : `with ${had}`;
  return { state: 'aborted', text: `The client left at ${at}, ${got}; the upstream was cancelled.` };
}

/** A piece of a request's time, as shares of the whole. */
export interface AttemptSegment {
  readonly kind: 'first_token' | 'streaming' | 'failure';
  readonly from: number;
  readonly to: number;
}

/** What an attempt's bar shows, on an axis from the request's start to its end. */
export function attemptSegments(
  attempt: ExchangeAttempt,
  startMs: number,
  totalMs: number,
): readonly AttemptSegment[] {
  const share = (ms: number) => Math.min(1, Math.max(0, ms / Math.max(totalMs, 0.001)));
  const from = Date.parse(attempt.started_at) - startMs;
  const first = attempt.first_token_ms === null ? null : from + attempt.first_token_ms;
  const end = from + attempt.duration_ms;
  const failed = attempt.error !== null || (attempt.status !== null && attempt.status >= 400);
  const before = {
    kind: failed ? 'failure' : 'first_token',
    from: share(from),
    to: share(first ?? end),
  } as const;
  if (first === null || first >= end) return [before];
  return [
    { ...before, kind: 'first_token' },
    { kind: failed ? 'failure' : 'streaming', from: share(first), to: share(end) },
  ];
}

/** Metadata keys of some rows, as many as have a use for columns. */
export function metadataKeys(rows: readonly Pick<RequestRow, 'metadata'>[]): string[] {
  const found = new Set<string>();
  for (const { metadata } of rows) {
    for (const name of Object.keys(metadata)) found.add(name);
    if (found.size >= 20) break;
  }
  return [...found].sort().slice(0, 20);
}

/** New rows among the known ones, newest first, none twice, at most `most`. The known ones are in order already. */
export function mergeRequestRows(
  known: readonly RequestRow[],
  fresh: readonly RequestRow[],
  most = 20_000,
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
  return rows.length > most ? rows.slice(0, most) : rows;
}

/**
 * The time that holds what is shown and nothing that comes later: a relative one ends with the newest row that is
 * shown, however long ago the list was opened.
 */
export function fixedTimeRange(
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

/** What the provider's prompt cache did to the cost; undefined where nothing of the prompt was cached. */
export function describePromptSaving({
  prompt_saved_nano_usd: saved,
  usage,
}: RequestRow): string | undefined {
  if (saved === null) return undefined;
  const read = `${formatCount(usage.cached_tokens ?? 0)} input tokens came from the provider's prompt cache`;
  if (saved >= 0) return `${read}, which saved ${formatExactMoney(saved)}.`;
  return `${read}; writing to it cost ${formatExactMoney(-saved)} more than that saved.`;
}

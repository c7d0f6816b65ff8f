import type { RequestRow } from '@floe/contract/api/analytics';
import type { ExchangeAttempt } from '@floe/contract/api/attempts';
import { formatCount, formatDuration, formatExactMoney } from '../../format/amounts.ts';
import { capitalize } from '../../format/words.ts';
import { requestDetailText } from './request-detail-text.ts';

/** Derives the values that the drawer and the page of a request show. Pure. */

const APIS: Readonly<Record<string, string>> = requestDetailText.apis;

/** Returns the name of the API that a client used, such as `Chat Completions`. */
export function getApiLabel(surface: string): string {
  return APIS[surface] ?? capitalize(surface.replaceAll('_', ' '));
}

/**
 * Returns the output speed in tokens per second, measured from the first token to the end. Returns null if the
 * response was not streamed or took less than 20 ms after the first token.
 */
export function computeOutputSpeed({ usage, latency_ms, first_token_ms }: RequestRow): number | null {
  const ms = first_token_ms === null ? 0 : latency_ms - first_token_ms;
  return ms < 20 || !usage.output_tokens ? null : (usage.output_tokens / ms) * 1000;
}

/** A stream that Floe or the provider interrupts ends with an error event. */
function describeReceived(received: string, stream: boolean): string {
  const strings = requestDetailText.interruption;
  if (!stream) return received;
  return received === strings.nothing ? strings.onlyErrorEvent : strings.withErrorEvent(received);
}

/** Describes how the response was interrupted, or returns null if it was not. */
export function describeInterruption(
  row: RequestRow,
): { readonly state: 'partial' | 'aborted'; readonly text: string } | null {
  const { state, latency_ms, first_token_ms, usage, provider, error_source, stream } = row;
  const strings = requestDetailText.interruption;
  const time = formatDuration(latency_ms);
  const received = usage.output_tokens
    ? strings.tokens(formatCount(usage.output_tokens), usage.source === 'estimated')
    : strings.nothing;
  if (state === 'partial') {
    const source = error_source === 'gateway' ? strings.floe : (provider ?? strings.provider);
    return { state: 'partial', text: strings.partial(source, time, describeReceived(received, stream)) };
  }
  if (state !== 'aborted') return null;
  const moment = first_token_ms === null ? strings.beforeFirstToken : strings.afterReceiving(received);
  return { state: 'aborted', text: strings.aborted(time, moment) };
}

/** A time segment of an attempt. `from` and `to` are fractions of the duration of the request. */
export interface AttemptSegment {
  readonly kind: 'first_token' | 'streaming' | 'failure';
  readonly from: number;
  readonly to: number;
}

/** Returns the segments of one attempt on an axis from the start to the end of the request. */
export function buildAttemptSegments(
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

/**
 * Describes how much the provider’s prompt cache saved or cost. Returns undefined if no input tokens were
 * cached.
 */
export function describePromptCacheSaving({
  prompt_saved_nano_usd: saved,
  usage,
}: RequestRow): string | undefined {
  if (saved === null) return undefined;
  const tokens = formatCount(usage.cached_tokens ?? 0);
  return saved >= 0
    ? requestDetailText.cost.promptCacheSaved(tokens, formatExactMoney(saved))
    : requestDetailText.cost.promptCacheCost(tokens, formatExactMoney(-saved));
}

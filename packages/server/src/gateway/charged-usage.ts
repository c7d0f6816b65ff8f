import { BILLED_UNITS } from '@floe/contract/billed-units';
import type { Json } from '@floe/contract/json';
import type { MutableBilledUnitCounts } from '@floe/wire/billed-unit-counts';
import { countContentBytes } from '@floe/wire/content-bytes';
import { findUsage } from '@floe/wire/find-usage';
import type { ResponseEvent } from '@floe/wire/response-events';
import { mergeUsage, type Usage } from '@floe/wire/usage';
import { estimateContentTokens, estimateInputTokens } from '../guardrails/token-estimate.ts';
import type { BillingMode } from './billing.ts';
import type { Exchange } from './exchange-record.ts';
import { readSmallValues } from './read-small-values.ts';
import { parseUpstreamJson } from './upstream-json.ts';

/**
 * A larger count of a unit is treated as invalid. No model has a context of this length, and no response contains as
 * many searches, images or seconds.
 */
const MAX_PLAUSIBLE_COUNT = 10_000_000;
/** Typical text has four bytes per token. Hardly any text has more than this. */
const MAX_BYTES_PER_TOKEN = 64;

const BILLED_IN_TOKENS = new Set<BillingMode>(['tokens', 'free-unless-priced']);

/** The usage that an attempt is charged for. */
export interface ChargedUsage {
  readonly usage: Usage | null;
  /** Whether a count is estimated, because the provider reported none or an implausible one. */
  readonly isEstimated: boolean;
}

/**
 * Returns the usage that an attempt is charged for. Uses a reported token count if it is plausible:
 * it is an integer from 1 to 10 million, and the content has at most 64 bytes per output token.
 * Otherwise, estimates the count at four bytes per token, the input from the request and the output
 * from the received content. If `isWhole` is false, the stream was cut off and its reported count may
 * be preliminary. The result is then the larger of the reported and the estimated output.
 */
export function computeChargedUsage(x: Exchange, isWhole: boolean): ChargedUsage {
  const reported = removeImplausibleCounts(x.answer.usage);
  // Operations that are billed by images, seconds or searches have no token estimate.
  const { prompt, turn } = x.request;
  if (prompt === null || !BILLED_IN_TOKENS.has(x.surface.billing))
    return { usage: reported, isEstimated: false };
  const counts = reported?.units ?? {};
  const { cached = 0, cache_write = 0, reasoning = 0 } = counts;
  const content = Math.max(estimateContentTokens(x.answer.contentBytes), reasoning);
  const input = counts.input || null;
  const output = isPlausibleOutput(reported, x.answer.contentBytes) ? (counts.output ?? null) : null;
  const units = {
    input: input ?? Math.max(estimateInputTokens(prompt.body, turn?.resolvedInput), cached + cache_write),
    output: output !== null && isWhole ? output : Math.max(output ?? 0, content),
  };
  const isEstimated = input === null || (output === null && content > 0);
  return { usage: mergeUsage(reported, { units }), isEstimated };
}

/** Returns whether a reported output is plausible for this amount of content. */
function isPlausibleOutput(reported: Usage | null, contentBytes: number): boolean {
  const { output = 0 } = reported?.units ?? {};
  return output > 0 && output * MAX_BYTES_PER_TOKEN >= contentBytes;
}

/** Removes implausible counts from reported usage. Returns null if no count remains. */
export function removeImplausibleCounts(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  let left: MutableBilledUnitCounts | null = null;
  for (const { unit, partOf } of BILLED_UNITS) {
    const count = usage.units[unit];
    if (count === undefined || isPlausibleCount(count, partOf !== null)) continue;
    left ??= { ...usage.units };
    delete left[unit];
  }
  if (left === null) return usage;
  return Object.keys(left).length === 0 ? null : { units: left, tier: usage.tier };
}

/**
 * Returns whether a response's content must be counted, because the provider reported no usage or an
 * implausible one. `size` is the size of the response in bytes, which the size of its content cannot exceed.
 */
export function mustCountContent(
  { answer: { usage }, request: { prompt } }: Exchange,
  size: number,
): boolean {
  return prompt !== null && !isPlausibleOutput(removeImplausibleCounts(usage), size);
}

/**
 * Records the size of the content of a complete response. Does nothing if the provider reported plausible
 * usage.
 */
export function recordResponseContentSize(x: Exchange, answer: Buffer): void {
  if (!mustCountContent(x, answer.length)) return;
  const { added, whole } = countContentBytes(answer);
  x.answer.setContent(Math.max(added, whole));
}

/**
 * Parses the JSON response to a generation. If this fails, records the usage in it, because the provider charges it.
 * @throws Fault `upstream_error` like `parseUpstreamJson`
 */
export function parseChargedResponse(x: Exchange, bytes: Buffer): Json {
  try {
    return parseUpstreamJson(bytes);
  } catch (error) {
    x.answer.setUsage(findUsage(readSmallValues(bytes)) ?? null);
    throw error;
  }
}

/** Records the size of the content of a response event. */
export function recordEventContentSize(x: Exchange, event: ResponseEvent): void {
  if (event.type === 'delta') x.answer.addContent(Buffer.byteLength(event.text));
  else if (event.type === 'open' && event.name !== undefined)
    x.answer.addContent(Buffer.byteLength(event.name));
}

/** Only counts of tokens must be whole numbers. Seconds of audio, for example, can be fractions. */
function isPlausibleCount(count: number, isTokenCount: boolean): boolean {
  return count >= 0 && count <= MAX_PLAUSIBLE_COUNT && (!isTokenCount || Number.isInteger(count));
}

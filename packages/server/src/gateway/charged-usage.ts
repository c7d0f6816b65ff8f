import { countContentBytes } from '@floe/wire/content-bytes';
import type { AnswerEvent } from '@floe/wire/events';
import type { MutableUnitCounts } from '@floe/wire/unit-counts';
import { mergeUsage, REPORTED_UNITS, type Usage } from '@floe/wire/usage';
import { estimateContentTokens, estimateInputTokens } from '../guardrails/token-estimate.ts';
import type { BillingMode } from './billing.ts';
import type { Exchange } from './exchange-record.ts';

/** A count above this is no count: the longest context of any model is shorter. */
const MAX_PLAUSIBLE_TOKENS = 10_000_000;
/** Tokens of usual text have four bytes, and hardly any has more than this. */
const MAX_BYTES_PER_TOKEN = 64;

const BILLED_IN_TOKENS = new Set<BillingMode>(['tokens', 'free-unless-priced']);

/** What an attempt is booked with. */
export interface ChargedUsage {
  readonly usage: Usage | null;
  /** A count is Floe's own estimate: the provider reported none, or none that can be true. */
  readonly isEstimated: boolean;
}

/**
 * One rule for every form of answer. Each count that the provider reported holds, if it can be true: a whole number of
 * at most 10 million; not 0 where the request has text or the answer has content; and no output of which each token
 * would have more than 64 bytes of the content. Any other count is estimated, the input from the request and the
 * output from the content that came, a token for every four bytes. What a stream that did not finish had reported so
 * far may be a first guess: of report and estimate the larger holds.
 */
export function computeChargedUsage(x: Exchange, isWhole: boolean): ChargedUsage {
  const reported = removeImplausibleCounts(x.answer.usage);
  // What is billed by the picture, the second or the search is not counted in tokens.
  if (x.request.prompt === null || !BILLED_IN_TOKENS.has(x.surface.billing))
    return { usage: reported, isEstimated: false };
  const counts = reported?.units ?? {};
  const { cached = 0, cache_write = 0, reasoning = 0 } = counts;
  const content = Math.max(estimateContentTokens(x.answer.contentBytes), reasoning);
  const input = counts.input || null;
  const output = isPlausibleOutput(reported, x.answer.contentBytes) ? (counts.output ?? null) : null;
  const units = {
    input: input ?? Math.max(estimateInputTokens(x.request.prompt.body), cached + cache_write),
    output: output !== null && isWhole ? output : Math.max(output ?? 0, content),
  };
  const isEstimated = input === null || (output === null && content > 0);
  return { usage: mergeUsage(reported, { units }), isEstimated };
}

/** Whether a report has an output that can be true of so many bytes of content. */
function isPlausibleOutput(reported: Usage | null, contentBytes: number): boolean {
  const { output = 0 } = reported?.units ?? {};
  return output > 0 && output * MAX_BYTES_PER_TOKEN >= contentBytes;
}

/** The counts of a report that can be true; null when none can. */
export function removeImplausibleCounts(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  const { units } = usage;
  if (REPORTED_UNITS.every((unit) => isPlausibleCount(units[unit]))) return usage;
  const left: MutableUnitCounts = { ...units };
  for (const unit of REPORTED_UNITS) if (!isPlausibleCount(left[unit])) delete left[unit];
  return Object.keys(left).length === 0 ? null : { units: left, tier: usage.tier };
}

/** Whether the content of an answer of this size has to be counted: it is never larger than the answer. */
export function needsContentCount(
  { answer: { usage }, request: { prompt } }: Exchange,
  size: number,
): boolean {
  return prompt !== null && !isPlausibleOutput(removeImplausibleCounts(usage), size);
}

/** Notes the content of a whole answer, where what its provider reported may not be true of it. */
export function recordAnswerContent(x: Exchange, answer: Buffer): void {
  if (!needsContentCount(x, answer.length)) return;
  const { added, whole } = countContentBytes(answer);
  x.answer.setContent(Math.max(added, whole));
}

/** Notes the content that an event brings. */
export function recordEventContent(x: Exchange, event: AnswerEvent): void {
  if (event.type === 'delta') x.answer.addContent(Buffer.byteLength(event.text));
  else if (event.type === 'open' && event.name !== undefined)
    x.answer.addContent(Buffer.byteLength(event.name));
}

function isPlausibleCount(count = 0): boolean {
  return Number.isInteger(count) && count >= 0 && count <= MAX_PLAUSIBLE_TOKENS;
}

import { contentBytesIn } from '@floe/wire/content-bytes';
import type { AnswerEvent } from '@floe/wire/events';
import { billed, type Usage } from '@floe/wire/usage';
import { inputTokensAbout, tokensOfContent } from '../guardrails/estimate.ts';
import type { Billing } from './billing.ts';
import type { Exchange } from './exchange-record.ts';

/** A count above this is no count: the longest context of any model is shorter. */
const MOST_TOKENS = 10_000_000;
/** Tokens of usual text have four bytes, and hardly any has more than this. */
const MOST_BYTES_PER_TOKEN = 64;

const IN_TOKENS = new Set<Billing>(['tokens', 'free-unless-priced']);

/** What an attempt is booked with. */
export interface BookedUsage {
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
export function bookedUsage(x: Exchange, isWhole: boolean): BookedUsage {
  const reported = credible(x.answer.usage);
  // What is billed by the picture, the second or the search is not counted in tokens.
  if (x.request.ask === null || !IN_TOKENS.has(x.surface.billing))
    return { usage: reported, isEstimated: false };
  const content = Math.max(tokensOfContent(x.answer.contentBytes), reported?.reasoning ?? 0);
  const input = reported?.input || null;
  const output = covers(reported, x.answer.contentBytes) ? (reported?.output ?? null) : null;
  const parts = (reported?.cached ?? 0) + (reported?.cacheWrite ?? 0);
  const usage = {
    ...reported,
    input: input ?? Math.max(inputTokensAbout(x.request.ask.body), parts),
    output: output !== null && isWhole ? output : Math.max(output ?? 0, content),
  };
  return { usage, isEstimated: input === null || (output === null && content > 0) };
}

/** Whether a report has an output that can be true of so many bytes of content. */
function covers(reported: Usage | null, contentBytes: number): boolean {
  const { output = 0 } = reported ?? {};
  return output > 0 && output * MOST_BYTES_PER_TOKEN >= contentBytes;
}

/** The counts of a report that can be true; null when none can. */
export function credible(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  const { input, cached, cacheWrite, output, reasoning } = usage;
  if ([input, cached, cacheWrite, output, reasoning].every((count = 0) => isCount(count))) return usage;
  const { units, tier, ...tokens } = usage;
  const counts = Object.entries(tokens).filter(([, count]) => isCount(count));
  if (counts.length === 0 && units === undefined) return null;
  return billed(Object.fromEntries(counts), units, tier);
}

/** Whether the content of an answer of this size has to be counted: it is never larger than the answer. */
export function needsContent({ answer: { usage }, request: { ask } }: Exchange, size: number): boolean {
  return ask !== null && !covers(credible(usage), size);
}

/** Notes the content of a whole answer, where what its provider reported may not be true of it. */
export function noteContent(x: Exchange, answer: Buffer): void {
  if (!needsContent(x, answer.length)) return;
  const { added, whole } = contentBytesIn(answer);
  x.answer.setContent(Math.max(added, whole));
}

/** Notes the content that an event brings. */
export function noteEvent(x: Exchange, event: AnswerEvent): void {
  if (event.type === 'delta') x.answer.addContent(Buffer.byteLength(event.text));
  else if (event.type === 'open' && event.name !== undefined)
    x.answer.addContent(Buffer.byteLength(event.name));
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS;
}

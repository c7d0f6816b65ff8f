import type { Usage } from '@floe/wire/usage';
import { inputTokensAbout, outputTokensAbout } from '../guardrails/estimate.ts';
import { costNanoUsd, type Price } from '../providers/prices.ts';
import type { Exchange } from './exchange-record.ts';

/** What an exchange was worth in the end, as its row and its budgets count it. */
export interface Worth {
  readonly usage: Usage | null;
  readonly source: 'provider' | 'estimated' | 'none';
  /** Null when nobody knows the price; 0 when nothing was asked of an upstream. */
  readonly nanoUsd: number | null;
  readonly priceSource: Price['source'] | null;
}

/**
 * What the provider said, else what must be assumed of an answer that began: its input, and as much output
 * as reached the client. A call that was refused or never connected cost nothing.
 */
export function worthOf(x: Exchange): Worth {
  // Told again: the tokens were used and paid for once.
  if (x.state === 'cached')
    return { usage: x.usage, source: x.usage ? 'provider' : 'none', nanoUsd: 0, priceSource: null };
  const whole = x.usage !== null && (x.state === 'complete' || x.finish !== null);
  const usage = whole ? x.usage : assumed(x);
  // Told in part is told: only what a provider said nothing of at all is an estimate.
  const source = x.usage ? 'provider' : usage ? 'estimated' : 'none';
  const price = x.target === null ? null : x.target.provider.priceOf(x.target.model);
  if (usage === null || price === null) return { usage, source, nanoUsd: null, priceSource: null };
  return { usage, source, nanoUsd: costNanoUsd(price, usage, x.createdAt), priceSource: price.source };
}

/** What a broken stream had counted so far may be a first guess of the provider's own: the larger number holds. */
function assumed(x: Exchange): Usage | null {
  const { ask, usage } = x;
  if (ask === null || !wasAnswering(x)) return usage;
  const output = x.told || x.firstTokenAt !== null ? outputTokensAbout(x.client.bytesOut, ask.stream) : 0;
  return {
    ...usage,
    input: usage?.input ?? inputTokensAbout(ask.body),
    output: Math.max(usage?.output ?? 0, output),
  };
}

/** Whether an upstream was at work on the answer; what it refused, or broke before any content, is not charged. */
function wasAnswering(x: Exchange): boolean {
  const attempt = x.attempts.at(-1);
  if (attempt === undefined || x.state === 'failed') return false;
  const { status } = attempt;
  return status === null ? x.state === 'aborted' : status >= 200 && status < 300;
}

import { addUsage, type Usage } from '@floe/wire/usage';
import { inputTokensAbout, outputTokensAbout } from '../guardrails/estimate.ts';
import { chargedPrice, costNanoUsd, type Price } from '../providers/prices.ts';
import type { Exchange, Spent } from './exchange-record.ts';

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
 * as reached the client. A call that was refused or never connected cost nothing. Of several attempts each
 * pays the price of its own target; one that nobody has a price for adds tokens and no money.
 */
export function worthOf(x: Exchange): Worth {
  // Told again: the tokens were used and paid for once.
  if (x.state === 'cached')
    return { usage: x.usage, source: x.usage ? 'provider' : 'none', nanoUsd: 0, priceSource: null };
  const isWhole = x.usage !== null && (x.state === 'complete' || x.finish !== null);
  const usage = isWhole || !wasAnswering(x) ? x.usage : assumed(x);
  const { spent } = x;
  // Told in part is told: only what a provider said nothing of at all is an estimate.
  const source = x.usage || spent?.isCounted ? 'provider' : usage || spent ? 'estimated' : 'none';
  if (usage !== null && x.attempts.length > 1) {
    const last = x.attempts.at(-1);
    if (last) last.usage = usage;
  }
  if (spent === null) return { usage, source, ...costOf(x, usage) };
  return { source, ...sumOf(spent, usage, costOf(x, usage)) };
}

/** What an answer from the cache would have cost; null for any other, and when nobody knows the price. */
export function savedBy(x: Exchange): number | null {
  return x.state === 'cached' ? costOf(x, x.usage).nanoUsd : null;
}

/**
 * Before another attempt: what the one before it used counts too, for its provider charges for it. What broke
 * off before content and without a count counts nothing.
 */
export function setWorthAside(x: Exchange): void {
  const before = x.attempts.at(-1);
  if (before === undefined) return;
  const delivered = x.told !== null && before.first_token_ms !== null;
  const usage = delivered ? assumed(x) : x.usage;
  const isCounted = x.usage !== null;
  x.usage = null;
  if (usage === null) return;
  before.usage = usage;
  const cost = costOf(x, usage);
  const { spent } = x;
  x.spent =
    spent === null
      ? { usage, ...cost, isCounted }
      : { ...sumOf(spent, usage, cost), isCounted: isCounted || spent.isCounted };
}

type Cost = Pick<Worth, 'nanoUsd' | 'priceSource'>;

/** At the price of the target asked last, which its attempt keeps. */
function costOf({ target, createdAt, attempts }: Exchange, usage: Usage | null): Cost {
  const price = target === null ? null : target.provider.priceOf(target.model);
  if (usage === null || price === null) return { nanoUsd: null, priceSource: null };
  const last = attempts.at(-1);
  const charged = chargedPrice(price, usage, createdAt);
  if (last && charged) last.price = charged;
  return { nanoUsd: costNanoUsd(price, usage, createdAt), priceSource: price.source };
}

function sumOf(spent: Spent, usage: Usage | null, cost: Cost): Pick<Spent, 'usage' | keyof Cost> {
  const isUnknown = spent.nanoUsd === null && cost.nanoUsd === null;
  return {
    usage: addUsage(spent.usage, usage) ?? spent.usage,
    nanoUsd: isUnknown ? null : (spent.nanoUsd ?? 0) + (cost.nanoUsd ?? 0),
    priceSource: cost.priceSource ?? spent.priceSource,
  };
}

/**
 * What a broken stream had counted so far may be a first guess of the provider's own: the larger number holds.
 * One that was generated again is taken for all that the client has.
 */
function assumed({ ask, usage, told, firstTokenAt, client, attempts }: Exchange): Usage | null {
  if (ask === null) return usage;
  const isAgain = attempts.length > 1 && attempts.at(-1)?.first_token_ms === null;
  const hasSpoken = !isAgain && (told !== null || firstTokenAt !== null);
  const output = hasSpoken ? outputTokensAbout(client.bytesOut, ask.stream) : 0;
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

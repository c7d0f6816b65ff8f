import { addUsage, type Usage } from '@floe/wire/usage';
import { chargedPrice, costNanoUsd, type Price } from '../providers/prices.ts';
import { bookedUsage, credible } from './booked-usage.ts';
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
 * What the attempts of an exchange used, each at the price of its own target (`bookedUsage` has the rule for one). A
 * call that was refused, never connected or broke off before any content costs nothing but what its provider
 * reported. An attempt without a price adds tokens and no money.
 */
export function worthOf(x: Exchange): Worth {
  // Told again: the tokens were used and paid for once.
  if (x.state === 'cached')
    return { usage: x.usage, source: x.usage ? 'provider' : 'none', nanoUsd: 0, priceSource: null };
  const isWhole = x.state === 'complete' || x.finish !== null;
  const { usage, isEstimated } = wasAnswering(x)
    ? bookedUsage(x, isWhole)
    : { usage: credible(x.usage), isEstimated: false };
  const { spent } = x;
  const isCounted = (usage !== null && !isEstimated) || spent?.isCounted === true;
  const source = isCounted ? 'provider' : usage || spent ? 'estimated' : 'none';
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
 * Before another attempt: what the one before it used counts too, for its provider charges for it. What broke off
 * before content and without a count counts nothing.
 */
export function setWorthAside(x: Exchange): void {
  const before = x.attempts.at(-1);
  if (before === undefined) return;
  const { usage, isEstimated } =
    x.contentBytes > 0 ? bookedUsage(x, false) : { usage: credible(x.usage), isEstimated: false };
  x.usage = null;
  x.contentBytes = 0;
  x.contentPieces = 0;
  if (usage === null) return;
  before.usage = usage;
  const cost = costOf(x, usage);
  const { spent } = x;
  x.spent =
    spent === null
      ? { usage, ...cost, isCounted: !isEstimated }
      : { ...sumOf(spent, usage, cost), isCounted: !isEstimated || spent.isCounted };
}

/** What the exchange has cost, if the attempt under way used so much; null when nobody knows the price. */
export function nanoUsdOf(x: Exchange, usage: Usage): number | null {
  const price = x.target?.provider.priceOf(x.target.model) ?? null;
  return price && (x.spent?.nanoUsd ?? 0) + costNanoUsd(price, usage, x.createdAt);
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
 * Whether an upstream was at work on the answer. What it refused, or broke before any content, is not charged; what
 * the gateway ended itself once content had come is.
 */
function wasAnswering(x: Exchange): boolean {
  const attempt = x.attempts.at(-1);
  if (attempt === undefined) return false;
  if (x.state === 'failed') return x.contentBytes > 0;
  const { status } = attempt;
  return status === null ? x.state === 'aborted' : status >= 200 && status < 300;
}

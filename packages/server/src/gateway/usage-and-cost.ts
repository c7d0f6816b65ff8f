import { mergeUsage, sumUsage, type Usage } from '@floe/wire/usage';
import { addCosts, type Price, computeUsageCost as priceOf, toChargedPrice } from '../providers/prices.ts';
import { type ChargedUsage, computeChargedUsage, removeImplausibleCounts } from './charged-usage.ts';
import type { ClientRequest } from './client-request.ts';
import type { AttemptRecord, CostSource, Exchange, PriorAttemptsUsage } from './exchange-record.ts';
import { addRequestUnits, estimateRequestUnits } from './request-units.ts';
import { findRequestedServiceTier } from './requested-service-tier.ts';
import { selectNonTokenUnits, toAttemptTokens } from './usage-fields.ts';

/** The final usage and cost of an exchange, as its row and its budgets record them. */
export interface UsageAndCost {
  readonly usage: Usage | null;
  readonly source: 'provider' | 'estimated' | 'none';
  /** Null if the price is unknown; 0 if no request was sent to a provider. */
  readonly nanoUsd: number | null;
  /** Null if the price is unknown or no request was sent to a provider. */
  readonly costSource: CostSource | null;
}

/**
 * Computes the usage and cost of all attempts, each at its own target's price (see
 * `computeChargedUsage`). An attempt that was rejected, did not connect, or failed before any
 * content is charged only for the usage that its provider reported. An attempt without a price adds
 * tokens but no cost. Also records the usage and the price of the last attempt in its attempt record.
 */
export function recordUsageAndCost(x: Exchange): UsageAndCost {
  // A cached response was charged when it was generated.
  if (x.result.state === 'cached') {
    const usage = removeImplausibleCounts(x.answer.usage);
    return { usage, source: usage ? 'provider' : 'none', nanoUsd: 0, costSource: null };
  }
  const isWhole = x.result.state === 'complete' || x.answer.finishReason !== null;
  const { results } = x.answer;
  const { usage, isEstimated } = chargedUsage(x, isWhole);
  if (isFreeOfCharge(x))
    return { usage, source: usage ? 'provider' : 'none', nanoUsd: 0, costSource: 'free' };
  const { priorUsage: prior } = x;
  const isCounted = (usage !== null && !isEstimated) || prior?.isReported === true;
  const source = isCounted ? 'provider' : usage || prior ? 'estimated' : 'none';
  if (usage !== null && x.attempts.length > 1) {
    const last = x.attempts.at(-1);
    if (last) last.usage = toAttemptTokens(usage);
  }
  if (results !== null) return { usage, source, ...computeResultsCost(x, results) };
  if (prior === null) return { usage, source, ...computeAttemptCost(x, usage) };
  return { source, ...addToPriorUsage(prior, usage, computeAttemptCost(x, usage)) };
}

/**
 * Returns in nano-USD what a cached response would have cost without the cache. Null if the response was not
 * cached or the price is unknown.
 */
export function computeResponseCacheSavings(x: Exchange): number | null {
  if (x.result.state !== 'cached') return null;
  return computeAttemptCost(x, removeImplausibleCounts(x.answer.usage)).nanoUsd;
}

/**
 * Adds the current attempt's usage to the exchange before another attempt starts, because the provider
 * charges for both. Adds nothing if the attempt failed before content and reported no usage.
 */
export function carryOverAttemptUsage(x: Exchange): void {
  const before = x.attempts.at(-1);
  if (before === undefined) return;
  const { usage, isEstimated } =
    x.answer.contentBytes > 0 ? computeChargedUsage(x, false) : chargedReportedUsage(x);
  x.answer.reset();
  if (usage === null) return;
  before.usage = toAttemptTokens(usage);
  const cost = computeAttemptCost(x, usage);
  const { priorUsage: prior } = x;
  x.priorUsage =
    prior === null
      ? { usage, ...cost, isReported: !isEstimated }
      : { ...addToPriorUsage(prior, usage, cost), isReported: !isEstimated || prior.isReported };
}

/**
 * Returns the cost of the exchange in nano-USD. The cost includes all earlier attempts, and the current attempt
 * with the given usage. Returns null if the price is unknown.
 */
export function computeRunningCost(x: Exchange, usage: Usage): number | null {
  const price = x.target?.provider.priceOf(x.target.model) ?? null;
  return (
    price &&
    addCosts(x.priorUsage?.nanoUsd ?? 0, priceOf(price, toBilledUsage(x, usage, price), x.createdAt).nanoUsd)
  );
}

type AttemptCost = Pick<UsageAndCost, 'nanoUsd' | 'costSource'>;

/**
 * Computes the cost of the current attempt at the price of its target, with the service tier of the response
 * or else the requested one.
 */
function computeAttemptCost(x: Exchange, usage: Usage | null): AttemptCost {
  const { target, createdAt, attempts } = x;
  const price = target === null ? null : target.provider.priceOf(target.model);
  if (price === null) return { nanoUsd: null, costSource: null };
  // Something was used, but not reported.
  if (usage === null) return { nanoUsd: null, costSource: wasAnswering(x) ? 'incomplete' : null };
  return recordAttemptCost(attempts.at(-1), toBilledUsage(x, usage, price), price, createdAt);
}

/** Computes an attempt's cost, and records its price, units and service tier. */
export function recordAttemptCost(
  attempt: AttemptRecord | undefined,
  usage: Usage,
  price: Price | null,
  atMs: number,
): AttemptCost {
  if (price === null) return { nanoUsd: null, costSource: null };
  const cost = priceOf(price, usage, atMs);
  const { nanoUsd, unpriced, isComplete } = cost;
  if (attempt) {
    const charged = toChargedPrice(price, cost, usage.tier);
    if (charged) attempt.price = charged;
    recordUnits(attempt, usage, unpriced);
  }
  return { nanoUsd, costSource: isComplete ? price.source : 'incomplete' };
}

/** Computes the cost of batch results, each model at its own price. */
function computeResultsCost(
  { target, createdAt }: Exchange,
  results: ReadonlyMap<string, Usage>,
): AttemptCost {
  let sum: AttemptCost = { nanoUsd: null, costSource: null };
  for (const [model, usage] of results) {
    const price = target?.provider.priceOf(model) ?? null;
    const cost = price && priceOf(price, usage, createdAt);
    const isIncomplete = !cost?.isComplete || sum.costSource === 'incomplete';
    const nanoUsd = cost === null ? sum.nanoUsd : addCosts(sum.nanoUsd ?? 0, cost.nanoUsd);
    sum = { nanoUsd, costSource: isIncomplete ? 'incomplete' : (price?.source ?? null) };
  }
  return sum;
}

/**
 * Uses the requested service tier if the response has none, and adds units that only the request contains.
 */
function toBilledUsage(
  { request: { prompt, opaque }, surface, createdAt }: Exchange,
  usage: Usage,
  price: Price,
): Usage {
  const measured = opaque && estimateRequestUnits(surface.billing, opaque, price, createdAt);
  const tier = usage.tier ?? findRequestedServiceTier(prompt);
  const counted = withImplicitSearch(prompt, addRequestUnits(usage, measured), price, createdAt);
  return tier === counted.tier || tier === undefined ? counted : { ...counted, tier };
}

/**
 * Adds one search for a Chat model with built-in search, because such a model makes one search and does not
 * report it.
 */
function withImplicitSearch(prompt: ClientRequest | null, usage: Usage, price: Price, atMs: number): Usage {
  if (prompt === null || usage.units.web_search || !prompt.members.has('web_search_options')) return usage;
  return price.ratesAt(atMs).units.web_search === undefined
    ? usage
    : mergeUsage(usage, { units: { web_search: 1 } });
}

function recordUnits(attempt: AttemptRecord, { units, tier }: Usage, unpriced: readonly string[]): void {
  const billed = selectNonTokenUnits(units);
  if (billed) attempt.billed_units = billed;
  if (tier !== undefined && tier !== 'standard') attempt.service_tier = tier;
  if (unpriced.length > 0) attempt.unpriced = unpriced;
}

/**
 * Returns whether the operation is declared as free. An operation that is `free-unless-priced` is free only
 * if the model has no price.
 */
function isFreeOfCharge({ surface: { billing }, target, answer: { results } }: Exchange): boolean {
  if (target === null) return false;
  // Results that have already been charged, or a file without results.
  if (billing === 'results') return results === null || results.size === 0;
  return billing === 'free' || (billing === 'free-unless-priced' && !target.provider.priceOf(target.model));
}

/**
 * Adds usage and cost to those of earlier attempts. If the price of one part is unknown, the sum is
 * incomplete.
 */
function addToPriorUsage(
  prior: PriorAttemptsUsage,
  usage: Usage | null,
  cost: AttemptCost,
): Pick<PriorAttemptsUsage, 'usage' | keyof AttemptCost> {
  const isUnknown = prior.nanoUsd === null && cost.nanoUsd === null;
  const lacksOne = (prior.nanoUsd === null) !== (cost.nanoUsd === null) && usage !== null;
  const isIncomplete = lacksOne || [prior.costSource, cost.costSource].includes('incomplete');
  return {
    usage: sumUsage(prior.usage, usage) ?? prior.usage,
    nanoUsd: isUnknown ? null : addCosts(prior.nanoUsd ?? 0, cost.nanoUsd ?? 0),
    costSource: isIncomplete ? 'incomplete' : (cost.costSource ?? prior.costSource),
  };
}

function chargedUsage(x: Exchange, isWhole: boolean): ChargedUsage {
  const { results, usage } = x.answer;
  // Each line was checked when it was added, and the sum can be larger than any single count.
  if (results !== null) return { usage, isEstimated: false };
  return wasAnswering(x) ? chargedAnswerUsage(x, isWhole) : chargedReportedUsage(x);
}

/**
 * Returns the charged usage of a response. Images and audio are charged at their reservation if their usage
 * is not reported.
 */
function chargedAnswerUsage(x: Exchange, isWhole: boolean): ChargedUsage {
  const booked = computeChargedUsage(x, isWhole);
  return booked.usage === null ? { usage: estimateMedia(x), isEstimated: true } : booked;
}

function chargedReportedUsage({ answer: { usage } }: Exchange): ChargedUsage {
  return { usage: removeImplausibleCounts(usage), isEstimated: false };
}

function estimateMedia({
  surface: { billing },
  request: { opaque },
  target,
  createdAt,
}: Exchange): Usage | null {
  const price = target?.provider.priceOf(target.model) ?? null;
  return opaque && price && estimateRequestUnits(billing, opaque, price, createdAt);
}

/**
 * Returns whether a provider was generating the response, so that it is charged. A rejection and a failure
 * before any content are not charged; a response that the gateway ended after content is.
 */
function wasAnswering(x: Exchange): boolean {
  const attempt = x.attempts.at(-1);
  if (attempt === undefined) return false;
  if (x.result.state === 'failed') return x.answer.contentBytes > 0;
  const { status } = attempt;
  return status === null ? x.result.state === 'aborted' : status >= 200 && status < 300;
}

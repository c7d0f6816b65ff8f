import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../platform/keyring.ts';
import type { BudgetBucket } from './budget-buckets.ts';
import {
  type CompiledBudget,
  type CompiledLimit,
  type CompiledLimitsAndBudgets,
  type KeyLimitsAndBudgets,
  matchesBudgetMetadata,
} from './compile-limits-and-budgets.ts';
import type { LimitBucket } from './limit-buckets.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';
import type { MaxTokensAndCost, RequestAttributes } from './request-attributes.ts';
import type { SpendCache } from './spend-cache.ts';

/**
 * Maximum number of limits and budgets that can apply to one request. Counting this many takes several
 * milliseconds, during which the process serves no other requests.
 */
export const MAX_LIMITS_AND_BUDGETS_PER_REQUEST = 500;
/** Maximum number of comparisons of a model id with a pattern for one request. They take about 25 ms. */
const MAX_MODEL_COMPARISONS = 1_000_000;

/** The limits and budgets that apply to a request, with their counters. */
export class MatchedLimitsAndBudgets {
  readonly limits: readonly { readonly rule: CompiledLimit; readonly bucket: LimitBucket }[];
  readonly budgets: readonly BudgetBucket[];

  readonly #orgId: string;

  constructor(
    orgId: string,
    limits: MatchedLimitsAndBudgets['limits'],
    budgets: MatchedLimitsAndBudgets['budgets'],
  ) {
    this.#orgId = orgId;
    this.limits = limits;
    this.budgets = budgets;
  }

  /** Returns a fault if a hard budget applies and the price of the request is unknown. */
  findUnpricedFault(estimate: MaxTokensAndCost): Fault | null {
    if (estimate.nanoUsd !== null) return null;
    const hard = this.budgets.find(({ rule }) => rule.config.mode === 'hard');
    if (!hard) return null;
    const message = `The hard budget "${hard.rule.name}" cannot be enforced because ${describeUnpriced(estimate)}. ${describeMissingPriceRemedy(estimate)}`;
    return new Fault('price_unknown', message, {
      param: 'model',
      rule: { kind: 'budget', id: hard.rule.id },
    });
  }

  /**
   * Returns the claims of a request. Without an estimate the request has already been rejected: the claims
   * are one request, no tokens and no cost.
   */
  buildClaims(estimate: MaxTokensAndCost | null, spendCache: SpendCache): LimitOrBudgetClaim[] {
    const claims: LimitOrBudgetClaim[] = [];
    for (const { bucket } of this.limits) bucket.addClaims(claims, estimate?.tokens ?? null);
    // A free request needs no budget.
    if (estimate === null || estimate.nanoUsd === 0) return claims;
    for (const budget of this.budgets)
      claims.push(buildSpendClaim(this.#orgId, budget, estimate.nanoUsd ?? 0, spendCache));
    return claims;
  }
}

function describeUnpriced({ unpriced }: Pick<MaxTokensAndCost, 'unpriced'>): string {
  if (unpriced?.isOperation) return 'the cost of this operation is unknown until it completes';
  return unpriced?.tier === undefined
    ? 'this model has no price'
    : `the service tier "${unpriced.tier}" of this model has no price`;
}

/**
 * Returns instructions for a request without a known price: add the price, or, if the cost of the operation cannot be
 * known in advance, use another key or free billing. Empty if the price is known.
 */
export function describeMissingPriceRemedy({ unpriced }: Pick<MaxTokensAndCost, 'unpriced'>): string {
  if (unpriced === null) return '';
  const { provider, model, tier, isOperation } = unpriced;
  if (isOperation) return 'Use a key that no hard budget applies to, or set billing: free on the provider.';
  const more = tier === undefined ? '' : `, tiers: { ${JSON.stringify(tier)}: <multiplier> }`;
  const orConsole =
    tier === undefined ? ' You can also set the price on the Models page of the console.' : '';
  return `Add to the provider "${provider}" in floe.yaml: prices: { ${JSON.stringify(model)}: { input: <USD per million tokens>, output: <USD per million tokens>${more} } }, or billing: free.${orConsole}`;
}

/**
 * Returns the limits and budgets that apply to a caller.
 * @param maximum how many may apply
 * @throws Fault `conflict` if more apply; `invalid_request` if the request names too many models
 */
export function matchLimitsAndBudgets(
  rules: CompiledLimitsAndBudgets,
  { key, endUser, models, metadata }: RequestAttributes,
  nowMs: number,
  maximum = MAX_LIMITS_AND_BUDGETS_PER_REQUEST,
): MatchedLimitsAndBudgets {
  const { limits, budgets } = findRulesOfKey(rules, key);
  let comparisons = 0;
  const appliesToModels = ({ models: wanted }: CompiledLimit | CompiledBudget) => {
    if (models === null || wanted === null) return true;
    comparisons += models.length;
    if (comparisons > MAX_MODEL_COMPARISONS) throw createTooManyModelsFault(models.length);
    return models.some(wanted);
  };
  const reached: (readonly [CompiledLimit, string])[] = [];
  for (const rule of limits) {
    const whose = rule.bucketFor(key, endUser);
    if (whose === null || !appliesToModels(rule)) continue;
    reached.push([rule, whose]);
  }
  const paying: (readonly [CompiledBudget, string])[] = [];
  for (const rule of budgets) {
    const whose = rule.bucketFor(key, endUser);
    if (whose === null || !appliesToModels(rule)) continue;
    if (models !== null && !matchesBudgetMetadata(rule, metadata)) continue;
    paying.push([rule, whose]);
  }
  // Before any bucket is created, so that a rejected request needs no memory.
  requireCountableNumber(reached.length + paying.length, maximum);
  return new MatchedLimitsAndBudgets(
    key.orgId,
    reached.map(([rule, whose]) => ({ rule, bucket: rule.buckets.get(whose) })),
    paying.map(([rule, whose]) => rule.buckets.get(whose, nowMs)),
  );
}

function createTooManyModelsFault(count: number): Fault {
  return new Fault(
    'invalid_request',
    `The request names ${count} models, which is too many to compare with all limits and budgets that apply only to certain models. Send a request with fewer models.`,
  );
}

function requireCountableNumber(count: number, maximum: number): void {
  if (count > maximum)
    throw new Fault(
      'conflict',
      `${count} limits and budgets apply to this request. The maximum is ${maximum}. Ask an admin to delete some of them.`,
    );
}

/**
 * Returns the limits and budgets that can apply to requests with this key, in their order. They are selected once
 * per key, so that 10,000 budgets, each of another key, do not slow down a request.
 */
function findRulesOfKey(rules: CompiledLimitsAndBudgets, key: KeyRecord): KeyLimitsAndBudgets {
  const known = rules.byKey.get(key);
  if (known) return known;
  const canApply = (rule: CompiledLimit | CompiledBudget) =>
    rule.config.scope === 'end_user' || rule.bucketFor(key, null) !== null;
  const found = { limits: rules.limits.filter(canApply), budgets: rules.budgets.filter(canApply) };
  const count = found.limits.length + found.budgets.length;
  // A long selection is not kept, because each key would need its own.
  const kept = count > MAX_LIMITS_AND_BUDGETS_PER_REQUEST ? rules : found;
  rules.byKey.set(key, kept);
  return kept;
}

/** Creates a claim on a budget. If the amount is 0, the claim only reads the current level. */
export function buildSpendClaim(
  orgId: string,
  { rule, bucket, period, day }: BudgetBucket,
  amount: number,
  spendCache: SpendCache,
): LimitOrBudgetClaim {
  return {
    kind: 'spend',
    bucket,
    amount,
    limit: rule.limitNanoUsd,
    enforced: rule.config.mode === 'hard',
    persistent: false,
    minimumUsed: spendCache.spentNanoUsd(orgId, bucket),
    endsAt: period.endsAt,
    ttlMs: 0,
    outageMode: rule.onStoreError,
    name: rule.name,
    ruleId: rule.id,
    unit: 'usd',
    period: rule.config.period,
    day: day.name,
  };
}

/** Creates the claims on a limit for a request with the given number of tokens. */
export function buildLimitClaims(bucket: LimitBucket, tokens: number): LimitOrBudgetClaim[] {
  const claims: LimitOrBudgetClaim[] = [];
  bucket.addClaims(claims, tokens);
  return claims;
}

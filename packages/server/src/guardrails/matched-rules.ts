import { Fault } from '@floe/contract/faults';
import type { ModelPatternMatcher } from '../core/model-pattern.ts';
import type { BudgetBucket } from './budget-buckets.ts';
import { type CompiledGuardrailRules, type CompiledLimit, matchesBudgetMetadata } from './compile-rules.ts';
import type { LimitBucket } from './limit-buckets.ts';
import type { MaxTokensAndCost, RequestAttributes } from './request-attributes.ts';
import type { GuardrailRuleClaim } from './rule-claim.ts';
import type { SpendCache } from './spend-cache.ts';

/** The limits and budgets that apply to a request, with their counters. */
export class MatchedGuardrailRules {
  readonly limits: readonly { readonly rule: CompiledLimit; readonly bucket: LimitBucket }[];
  readonly budgets: readonly BudgetBucket[];

  readonly #orgId: string;

  constructor(
    orgId: string,
    limits: MatchedGuardrailRules['limits'],
    budgets: MatchedGuardrailRules['budgets'],
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
  buildClaims(estimate: MaxTokensAndCost | null, spendCache: SpendCache): GuardrailRuleClaim[] {
    const claims: GuardrailRuleClaim[] = [];
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

/** Returns instructions for adding a price that a model or service tier is missing. */
export function describeMissingPriceRemedy({ unpriced }: Pick<MaxTokensAndCost, 'unpriced'>): string {
  if (unpriced === null) return '';
  const { provider, model, tier, isOperation } = unpriced;
  if (isOperation) return 'Use a key that no hard budget applies to, or set billing: free on the provider.';
  const more = tier === undefined ? '' : `, tiers: { ${JSON.stringify(tier)}: <factor> }`;
  return `Add to the provider "${provider}" in floe.yaml: prices: { ${JSON.stringify(model)}: { input: <USD per million tokens>, output: <USD per million tokens>${more} } }, or billing: free.`;
}

/** Returns the limits and budgets that apply to a caller. */
export function matchGuardrailRules(
  { limits, budgets }: CompiledGuardrailRules,
  caller: RequestAttributes,
  nowMs: number,
): MatchedGuardrailRules {
  const { key, endUser, models, metadata } = caller;
  const reached = [];
  for (const rule of limits) {
    const whose = rule.bucketFor(key, endUser);
    if (whose === null || !appliesToModels(rule.models, models)) continue;
    reached.push({ rule, bucket: rule.buckets.get(whose) });
  }
  const paying = [];
  for (const rule of budgets) {
    const whose = rule.bucketFor(key, endUser);
    if (whose === null || !appliesToModels(rule.models, models)) continue;
    if (models !== null && !matchesBudgetMetadata(rule, metadata)) continue;
    paying.push(rule.buckets.get(whose, nowMs));
  }
  return new MatchedGuardrailRules(key.orgId, reached, paying);
}

function appliesToModels(wanted: ModelPatternMatcher | null, models: readonly string[] | null): boolean {
  return wanted === null || models === null || models.some(wanted);
}

/** Creates a claim on a budget. If the amount is 0, the claim only reads the current level. */
export function buildSpendClaim(
  orgId: string,
  { rule, bucket, period, day }: BudgetBucket,
  amount: number,
  spendCache: SpendCache,
): GuardrailRuleClaim {
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
export function buildLimitClaims(bucket: LimitBucket, tokens: number): GuardrailRuleClaim[] {
  const claims: GuardrailRuleClaim[] = [];
  bucket.addClaims(claims, tokens);
  return claims;
}

import { Fault } from '@floe/contract/faults';
import type { Matcher } from '../core/pattern.ts';
import type { Caller, Estimate } from './counted-request.ts';
import type { LimitBucket } from './limit-buckets.ts';
import type { Period } from './period.ts';
import type { RuleClaim } from './rule-claim.ts';
import { type BudgetRule, type LimitRule, type Rules, wantsMetadata } from './rules.ts';
import type { SpendBook } from './spend-book.ts';

/** A budget of one subject in one period, and the bucket of what it spends. */
export interface BudgetPeriod {
  readonly rule: BudgetRule;
  readonly bucket: string;
  readonly period: Period;
}

/** The rules that reach a caller, each with the bucket its requests fall in. */
export class Reach {
  readonly limits: readonly { readonly rule: LimitRule; readonly bucket: LimitBucket }[];
  readonly budgets: readonly BudgetPeriod[];

  readonly #orgId: string;

  constructor(orgId: string, limits: Reach['limits'], budgets: Reach['budgets']) {
    this.#orgId = orgId;
    this.limits = limits;
    this.budgets = budgets;
  }

  /** Why a request cannot be paid for whatever is left: a hard budget, and nobody knows the price. */
  unpayable(estimate: Estimate): Fault | null {
    if (estimate.nanoUsd !== null) return null;
    const hard = this.budgets.find(({ rule }) => rule.config.mode === 'hard');
    if (!hard) return null;
    const message = `The budget "${hard.rule.name}" is hard and ${whatHasNoPrice(estimate)}. ${priceLine(estimate)}`;
    return new Fault('price_unknown', message, {
      param: 'model',
      rule: { kind: 'budget', id: hard.rule.id },
    });
  }

  /** What a request takes. Without an estimate it was refused already: one request, no tokens, no money. */
  claims(estimate: Estimate | null, book: SpendBook): RuleClaim[] {
    const claims: RuleClaim[] = [];
    for (const { bucket } of this.limits) bucket.addClaims(claims, estimate?.tokens ?? null);
    // Nothing to pay is nothing to ask a budget for.
    if (estimate === null || estimate.nanoUsd === 0) return claims;
    for (const budget of this.budgets)
      claims.push(spendClaim(this.#orgId, budget, estimate.nanoUsd ?? 0, book));
    return claims;
  }
}

function whatHasNoPrice({ unpriced }: Pick<Estimate, 'unpriced'>): string {
  if (unpriced?.isOperation) return 'the cost of this operation is not known before it is done';
  return unpriced?.tier === undefined
    ? 'this model has no price'
    : `the service tier "${unpriced.tier}" of this model has no price`;
}

/** What to add where, for a model or tier that has no price. */
export function priceLine({ unpriced }: Pick<Estimate, 'unpriced'>): string {
  if (unpriced === null) return '';
  const { provider, model, tier, isOperation } = unpriced;
  if (isOperation) return 'Use a key that no hard budget applies to, or set billing: free on its provider.';
  const more = tier === undefined ? '' : `, tiers: { ${JSON.stringify(tier)}: <factor> }`;
  return `Add to the provider "${provider}" in floe.yaml: prices: { ${JSON.stringify(model)}: { input: <USD per million tokens>, output: <USD per million tokens>${more} } }, or billing: free.`;
}

/** Finds the rules that reach a caller. */
export function reachOf({ limits, budgets }: Rules, caller: Caller, nowMs: number): Reach {
  const { key, endUser, models, metadata } = caller;
  const reached = [];
  for (const rule of limits) {
    const whose = rule.bucketOf(key, endUser);
    if (whose === null || !holdsFor(rule.models, models)) continue;
    reached.push({ rule, bucket: rule.buckets.of(whose) });
  }
  const paying = [];
  for (const rule of budgets) {
    const whose = rule.bucketOf(key, endUser);
    if (whose === null || !holdsFor(rule.models, models)) continue;
    if (models !== null && !wantsMetadata(rule, metadata)) continue;
    const period = rule.periodAt(nowMs);
    paying.push({ rule, bucket: bucketName(rule, period, whose), period });
  }
  return new Reach(key.orgId, reached, paying);
}

function holdsFor(wanted: Matcher | null, models: readonly string[] | null): boolean {
  return wanted === null || models === null || models.some(wanted);
}

export function bucketName(rule: BudgetRule, period: Period, whose: string): string {
  return `b:${rule.id}:${rule.config.period}:${period.name}:${whose}`;
}

/** The budget of a bucket of `bucketName`, whose id may have colons. */
export function budgetIdOf(bucket: string, period: string): string {
  return bucket.slice(2, bucket.indexOf(`:${period}:`, 2));
}

/** A claim on a budget; the amount may be 0, to look at it. */
export function spendClaim(
  orgId: string,
  { rule, bucket, period }: BudgetPeriod,
  amount: number,
  book: SpendBook,
): RuleClaim {
  return {
    kind: 'spend',
    bucket,
    amount,
    limit: rule.limitNanoUsd,
    enforced: rule.config.mode === 'hard',
    lasting: false,
    floor: book.spentOf(orgId, bucket),
    endsAt: period.endsAt,
    lastsMs: 0,
    away: rule.away,
    name: rule.name,
    rule: rule.id,
    counts: 'usd',
    period: rule.config.period,
  };
}

/** What a request of so many tokens takes of a limit. */
export function limitClaims(bucket: LimitBucket, tokens: number): RuleClaim[] {
  const claims: RuleClaim[] = [];
  bucket.addClaims(claims, tokens);
  return claims;
}

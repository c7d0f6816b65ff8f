import { Fault } from '@floe/contract/faults';
import type { BudgetStatus, LimitStatus } from './limit-and-budget-status.ts';
import { describeMissingPriceRemedy } from './matched-limits-and-budgets.ts';
import type { MaxTokensAndCost } from './request-attributes.ts';

/** How one limit or budget would affect a request, and why. */
export interface LimitOrBudgetPreview {
  readonly outcome: 'granted' | 'rejected';
  readonly reason: string;
}

/** How limits or budgets would affect a request that is sent now. */
export interface LimitOrBudgetPreviewResult {
  readonly rules: readonly LimitOrBudgetPreview[];
  /** The error that the request would receive; null if nothing rejects it. */
  readonly refusal: Fault | null;
}

/** Returns how rate limits with this usage would affect a request with the estimated number of tokens. */
export function previewLimits(
  limits: readonly LimitStatus[],
  estimate: MaxTokensAndCost | null,
): LimitOrBudgetPreviewResult {
  const rules: LimitOrBudgetPreview[] = [];
  let refusal: Fault | null = null;
  for (const limit of limits) {
    const counts = [
      ['requests', limit.rpm, limit.rpm_used, 1, limit.rpm_reset_ms],
      ['tokens', limit.tpm, limit.tpm_used, estimate?.tokens ?? 0, limit.tpm_reset_ms],
      ['concurrent requests', limit.concurrency, limit.concurrency_used, 1, null],
    ] as const;
    for (const [unit, most, used, wanted, resetMs] of counts) {
      if (most === null) continue;
      // A reservation is never larger than the limit.
      const refuses = (used ?? 0) + Math.min(wanted, most) > most;
      const [usedText, mostText, wantedText] = [used ?? 0, most, Math.min(wanted, most)].map(formatCount);
      const reason = `"${limit.name}": ${usedText} of ${mostText} ${unit} used, ${wantedText} requested`;
      rules.push({ outcome: refuses ? 'rejected' : 'granted', reason });
      if (refuses)
        refusal ??= new Fault(
          'rate_limit_exceeded',
          reason,
          resetMs === null ? {} : { retryAfterMs: resetMs },
        );
    }
  }
  return { rules, refusal };
}

/** Returns how budgets with this spending would affect a request with the estimated cost. */
export function previewBudgets(
  budgets: readonly BudgetStatus[],
  estimate: MaxTokensAndCost,
): LimitOrBudgetPreviewResult {
  const { nanoUsd } = estimate;
  const rules: LimitOrBudgetPreview[] = [];
  let refusal: Fault | null = null;
  for (const {
    name,
    mode,
    limit_nano_usd: most,
    spent_nano_usd: spent,
    reserved_nano_usd: held,
  } of budgets) {
    const isSpent = spent + (nanoUsd ?? 0) > most;
    const isOver = isSpent || spent + held + (nanoUsd ?? 0) > most;
    const refuses = mode === 'hard' && (isOver || nanoUsd === null);
    const wanted =
      nanoUsd === null ? 'price of the request unknown' : `at most ${formatDollars(nanoUsd)} requested`;
    const reason = `"${name}" (${mode}): ${formatDollars(spent)} of ${formatDollars(most)} spent, ${held > 0 ? `${formatDollars(held)} reserved, ` : ''}${wanted}`;
    rules.push({ outcome: refuses ? 'rejected' : 'granted', reason });
    if (!refuses) continue;
    const fault =
      nanoUsd === null
        ? new Fault('price_unknown', `${reason}. ${describeMissingPriceRemedy(estimate)}`)
        : new Fault(isSpent ? 'budget_exceeded' : 'budget_reserved', reason);
    // Same order as the counters: a budget that is spent takes precedence over one that is only reserved.
    if (refusal === null || (refusal.code === 'budget_reserved' && isSpent)) refusal = fault;
  }
  return { rules, refusal };
}

/** Formats dollars with 2 to 9 decimals, such as `$0.000125`. */
function formatDollars(nanoUsd: number): string {
  const [whole = '0', fraction = ''] = (nanoUsd / 1e9).toFixed(9).split('.');
  return `$${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

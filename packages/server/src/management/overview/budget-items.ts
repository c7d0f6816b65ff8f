import type { OverviewAttentionItem } from '@floe/contract/api/overview';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import {
  type CompiledBudget,
  findLimitOrBudgetScopeSubject,
} from '../../guardrails/compile-limits-and-budgets.ts';
import type { SpendCache } from '../../guardrails/spend-cache.ts';
import { formatBudgetCounterName } from '../../store/spend/budget-period-counters.ts';

const WARNING_SHARE = 0.8;

/** A budget of which this share of the limit was spent in the current period. */
interface UsedBudget {
  readonly budget: CompiledBudget;
  readonly share: number;
}

/**
 * Returns the items for up to `limit` budgets of which at least 80% was spent, most used first. Leaves out budgets that
 * count each subject separately. Reads only memory, so that all budgets can be checked, and yields to the event loop.
 */
export async function listBudgetItems(
  budgets: readonly CompiledBudget[],
  { orgId, nowMs, limit }: { readonly orgId: string; readonly nowMs: number; readonly limit: number },
  spendCache: Pick<SpendCache, 'spentNanoUsd'>,
): Promise<OverviewAttentionItem[]> {
  const turns = new EventLoopYielder();
  const used: UsedBudget[] = [];
  for (const budget of budgets) {
    const { id, config, limitNanoUsd } = budget;
    const subject = findLimitOrBudgetScopeSubject(config);
    if (subject !== null) {
      const counter = formatBudgetCounterName(id, config.period, budget.dayAt(nowMs).name, subject);
      const share = spendCache.spentNanoUsd(orgId, counter) / limitNanoUsd;
      if (share >= WARNING_SHARE) used.push({ budget, share });
    }
    await turns.endStep();
  }
  return used
    .sort((one, other) => other.share - one.share)
    .slice(0, limit)
    .map(toAttentionItem);
}

function toAttentionItem({ budget: { id, name, config }, share }: UsedBudget): OverviewAttentionItem {
  const isRejecting = share >= 1 && config.mode === 'hard';
  return {
    kind: 'budget_used',
    severity: isRejecting ? 'critical' : 'warning',
    subject: { kind: 'budget', id, name },
    since: null,
    text: `${Math.floor(share * 100)}% used${isRejecting ? '; requests are rejected' : ''}.`,
  };
}

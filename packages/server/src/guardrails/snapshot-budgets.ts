import {
  type BudgetCounterGroup,
  formatBudgetCounterPrefix,
  listBudgetCounterPrefixes,
} from '../store/spend/budget-period-counters.ts';
import type { CompiledBudget, CompiledLimitsAndBudgets } from './compile-limits-and-budgets.ts';

/** The limits and budgets of each organization in a snapshot. */
export type LimitsAndBudgetsByOrg = ReadonlyMap<string, { readonly rules: CompiledLimitsAndBudgets | null }>;

/** A budget that the previous snapshot did not contain, or contained with another period. */
export interface AddedBudget {
  readonly group: BudgetCounterGroup;
  readonly budget: CompiledBudget;
  /** Whether the budget existed, with another period. */
  readonly hasNewPeriod: boolean;
}

interface SnapshotOrg {
  readonly rules: CompiledLimitsAndBudgets;
  readonly budgetIds: ReadonlySet<string>;
  readonly prefixes: ReadonlyMap<string, BudgetCounterGroup>;
}

/**
 * The budgets of a snapshot and the counters that they use. A budget uses the counters of its own period
 * kind. Immutable.
 */
export class SnapshotBudgets {
  /** The budgets whose counters `before` does not include. */
  readonly added: readonly AddedBudget[];
  readonly #orgs: ReadonlyMap<string, SnapshotOrg>;

  constructor(rulesByOrg: LimitsAndBudgetsByOrg, before: SnapshotBudgets | null) {
    const orgs = new Map<string, SnapshotOrg>();
    const added: AddedBudget[] = [];
    for (const [orgId, { rules }] of rulesByOrg) {
      if (rules === null || rules.budgets.length === 0) continue;
      const known = before === null ? undefined : before.#orgs.get(orgId);
      const org = known?.rules === rules ? known : describeOrg(orgId, rules);
      orgs.set(orgId, org);
      if (org !== known) added.push(...listAdded(org, known));
    }
    this.added = added;
    this.#orgs = orgs;
  }

  /** Returns the group of a counter. Undefined if no budget uses the counter. */
  find(orgId: string, bucket: string): BudgetCounterGroup | undefined {
    const prefixes = this.#orgs.get(orgId)?.prefixes;
    if (prefixes === undefined) return undefined;
    for (const prefix of listBudgetCounterPrefixes(bucket)) {
      const group = prefixes.get(prefix);
      if (group !== undefined) return group;
    }
    return undefined;
  }

  /** Returns the organizations with counters that are not in `next`. */
  listOrgsWithRemovedCounters(next: SnapshotBudgets): string[] {
    return [...this.#orgs]
      .filter(([orgId, org]) => {
        const kept = next.#orgs.get(orgId);
        return kept !== org && [...org.prefixes.keys()].some((prefix) => !kept?.prefixes.has(prefix));
      })
      .map(([orgId]) => orgId);
  }
}

function describeOrg(orgId: string, rules: CompiledLimitsAndBudgets): SnapshotOrg {
  const groups = rules.budgets.map(({ id, config }) => ({ orgId, budgetId: id, kind: config.period }));
  return {
    rules,
    budgetIds: new Set(groups.map(({ budgetId }) => budgetId)),
    prefixes: new Map(groups.map((group) => [formatBudgetCounterPrefix(group), group])),
  };
}

function listAdded({ rules, prefixes }: SnapshotOrg, before: SnapshotOrg | undefined): AddedBudget[] {
  const budgets = new Map(rules.budgets.map((budget) => [budget.id, budget]));
  return [...prefixes].flatMap(([prefix, group]): AddedBudget[] => {
    const budget = budgets.get(group.budgetId);
    if (budget === undefined || before?.prefixes.has(prefix)) return [];
    return [{ group, budget, hasNewPeriod: before?.budgetIds.has(group.budgetId) ?? false }];
  });
}

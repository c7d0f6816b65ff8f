import type { BudgetConfig, LimitConfig, RelayRuleConfig } from '@floe/contract/config';
import type { LimitAndBudgetEnforcer } from '../../guardrails/limit-and-budget-enforcer.ts';

/** A rule in floe.yaml and its line number. */
export interface ConfigFileRule<Config> {
  readonly config: Config;
  readonly line: number | null;
}

/** The limits, budgets and relay rules that floe.yaml defines for an organization. */
export interface OrgConfigFileRules {
  readonly limits: readonly ConfigFileRule<LimitConfig>[];
  readonly budgets: readonly ConfigFileRule<BudgetConfig>[];
  readonly relayRules: readonly ConfigFileRule<RelayRuleConfig>[];
  /** Name of the file. */
  readonly file: string;
  /** Time zone of the org, for budget periods. */
  readonly timezone: string;
}

/** The dependencies of the operations on limits, budgets and relay rules. */
export interface RuleDependencies {
  readonly guard: LimitAndBudgetEnforcer;
  /** Returns the rules of the running floe.yaml for an org. */
  getFileRules(orgId: string): OrgConfigFileRules;
}

import type { BudgetConfig, LimitConfig, RelayRuleConfig } from '@floe/contract/config';
import type { Guard } from '../../guardrails/guard.ts';

/** A rule of floe.yaml with its line number. */
export interface FileRule<Config> {
  readonly config: Config;
  readonly line: number | null;
}

/** The limits, budgets and relay rules that floe.yaml defines for an org. */
export interface OrgFileRules {
  readonly limits: readonly FileRule<LimitConfig>[];
  readonly budgets: readonly FileRule<BudgetConfig>[];
  readonly relayRules: readonly FileRule<RelayRuleConfig>[];
  /** Name of the file. */
  readonly file: string;
  /** Time zone of the org, for budget periods. */
  readonly timezone: string;
}

/** Dependencies of the verbs for limits, budgets and relay rules. */
export interface RuleDependencies {
  readonly guard: Guard;
  /** Returns the rules of the running floe.yaml for an org. */
  getFileRules(orgId: string): OrgFileRules;
}

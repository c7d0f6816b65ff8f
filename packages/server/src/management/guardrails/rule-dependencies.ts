import type { BudgetConfig, LimitConfig, RelayRuleConfig } from '@floe/contract/config';
import type { Guard } from '../../guardrails/guard.ts';

/** A rule of floe.yaml and the line it stands on. */
export interface FileRule<Config> {
  readonly config: Config;
  readonly line: number | null;
}

export interface OrgFileRules {
  readonly limits: readonly FileRule<LimitConfig>[];
  readonly budgets: readonly FileRule<BudgetConfig>[];
  readonly relayRules: readonly FileRule<RelayRuleConfig>[];
  /** Name of the file. */
  readonly file: string;
  /** The org's time zone, for periods. */
  readonly timezone: string;
}

/** What the verbs for rules stand on beside the database. */
export interface RuleDependencies {
  readonly guard: Guard;
  /** What the running floe.yaml says about an org. */
  getFileRules(orgId: string): OrgFileRules;
}

import type { OrgConfig } from '@floe/contract/config';
import type { LimitAndBudgetEnforcer } from '../../guardrails/limit-and-budget-enforcer.ts';
import type { OrgConfigFileRules, RuleDependencies } from '../../management/guardrails/rule-dependencies.ts';

const NONE: OrgConfigFileRules = {
  limits: [],
  budgets: [],
  relayRules: [],
  file: 'floe.yaml',
  timezone: 'UTC',
};

/**
 * Returns the rules that a file defines for the organization `acme`. Relay rules are on lines 10,
 * 11, …
 */
export function createTestRuleDependencies(
  guard: LimitAndBudgetEnforcer,
  { org, fileRules }: { readonly org?: OrgConfig; readonly fileRules?: Partial<OrgConfigFileRules> } = {},
): RuleDependencies {
  const relay_rules = (org?.relay.rules ?? []).map((config, index) => ({ config, line: 10 + index }));
  return {
    guard,
    getFileRules: (orgId) => (orgId === 'acme' ? { ...NONE, relayRules: relay_rules, ...fileRules } : NONE),
  };
}

import type { OrgConfig } from '@floe/contract/config';
import type { Guard } from '../../guardrails/guard.ts';
import type { OrgFileRules, RuleDependencies } from '../../management/guardrails/rule-dependencies.ts';

const NONE: OrgFileRules = { limits: [], budgets: [], relayRules: [], file: 'floe.yaml', timezone: 'UTC' };

/** Creates rules of a file for the org `acme`. Relay rules are on lines 10, 11, … */
export function createTestRuleDependencies(
  guard: Guard,
  { org, fileRules }: { readonly org?: OrgConfig; readonly fileRules?: Partial<OrgFileRules> } = {},
): RuleDependencies {
  const relay_rules = (org?.relay.rules ?? []).map((config, index) => ({ config, line: 10 + index }));
  return {
    guard,
    getFileRules: (orgId) => (orgId === 'acme' ? { ...NONE, relayRules: relay_rules, ...fileRules } : NONE),
  };
}

import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/guardrails';
import { type GuardrailRuleRow, listAllGuardrailRules } from '../store/guardrail-rules.ts';
import { listAllOrgs } from '../store/orgs.ts';
import type { DatabaseReader } from '../store/ports.ts';
import type { DeclaredRule } from './compile-rules.ts';

/** Limits and budgets that were made through the API, by org. */
export interface StoredRules {
  limits(orgId: string): readonly DeclaredRule<LimitConfig>[];
  budgets(orgId: string): readonly DeclaredRule<BudgetConfig>[];
  /** Of an org that floe.yaml does not name. */
  timezone(orgId: string): string;
}

export const NO_STORED_RULES: StoredRules = {
  limits: () => [],
  budgets: () => [],
  timezone: () => 'UTC',
};

export async function loadStoredRules(reader: DatabaseReader): Promise<StoredRules> {
  const [limits, budgets, orgs] = await Promise.all([
    listAllGuardrailRules(reader, 'limits'),
    listAllGuardrailRules(reader, 'budgets'),
    listAllOrgs(reader),
  ]);
  return {
    limits: (orgId) => limits.filter(({ org_id }) => org_id === orgId).map(parseStoredLimit),
    budgets: (orgId) => budgets.filter(({ org_id }) => org_id === orgId).map(parseStoredBudget),
    timezone: (orgId) => orgs.find(({ id }) => id === orgId)?.timezone ?? 'UTC',
  };
}

/** A stored rule was checked when it was written; the schema fills in what a later release added. */
export function parseStoredLimit({ id, rule_json }: GuardrailRuleRow): DeclaredRule<LimitConfig> {
  return { id, source: 'console', config: LimitSchema.parse(JSON.parse(rule_json)) };
}

export function parseStoredBudget({ id, rule_json }: GuardrailRuleRow): DeclaredRule<BudgetConfig> {
  return { id, source: 'console', config: BudgetSchema.parse(JSON.parse(rule_json)) };
}

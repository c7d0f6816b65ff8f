import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/guardrails';
import { type GuardrailRuleRow, listAllGuardrailRules } from '../store/guardrail-rules.ts';
import { listAllOrgs } from '../store/orgs.ts';
import type { DatabaseReader } from '../store/ports.ts';
import type { DeclaredRule } from './compile-rules.ts';

/** The limits and budgets that were created through the API, by organization. */
export interface StoredRules {
  limits(orgId: string): readonly DeclaredRule<LimitConfig>[];
  budgets(orgId: string): readonly DeclaredRule<BudgetConfig>[];
  /** Returns the time zone of an organization that is not in floe.yaml. */
  timezone(orgId: string): string;
}

/** Stored limits and budgets of an installation that has none. */
export const NO_STORED_RULES: StoredRules = {
  limits: () => [],
  budgets: () => [],
  timezone: () => 'UTC',
};

/** Loads all stored limits and budgets. */
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

/**
 * Parses a stored limit. It was validated when it was written; the schema adds defaults of later releases.
 */
export function parseStoredLimit({ id, rule_json }: GuardrailRuleRow): DeclaredRule<LimitConfig> {
  return { id, source: 'console', config: LimitSchema.parse(JSON.parse(rule_json)) };
}

/** Parses a stored budget. */
export function parseStoredBudget({ id, rule_json }: GuardrailRuleRow): DeclaredRule<BudgetConfig> {
  return { id, source: 'console', config: BudgetSchema.parse(JSON.parse(rule_json)) };
}

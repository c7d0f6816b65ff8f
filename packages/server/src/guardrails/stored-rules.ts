import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/guardrails';
import { type GuardrailRuleRow, listAllGuardrailRules } from '../store/guardrail-rules.ts';
import { listAllOrgs } from '../store/orgs.ts';
import type { DatabaseReader } from '../store/ports.ts';
import type { DeclaredGuardrailRule } from './compile-rules.ts';

/** The limits and budgets in the database, by organization. */
export interface StoredGuardrailRules {
  limits(orgId: string): readonly DeclaredGuardrailRule<LimitConfig>[];
  budgets(orgId: string): readonly DeclaredGuardrailRule<BudgetConfig>[];
  /** Returns the time zone of an organization that is not in floe.yaml. */
  timezone(orgId: string): string;
}

/** The value for an installation without stored limits and budgets. */
export const NO_STORED_GUARDRAIL_RULES: StoredGuardrailRules = {
  limits: () => [],
  budgets: () => [],
  timezone: () => 'UTC',
};

/** Returns the stored limits and budgets of all organizations or of these. */
export async function loadStoredGuardrailRules(
  reader: DatabaseReader,
  orgIds?: readonly string[],
): Promise<StoredGuardrailRules> {
  const [limits, budgets, orgs] = await Promise.all([
    listAllGuardrailRules(reader, 'limits', orgIds),
    listAllGuardrailRules(reader, 'budgets', orgIds),
    listAllOrgs(reader, orgIds),
  ]);
  return {
    limits: (orgId) => limits.filter(({ org_id }) => org_id === orgId).map(parseStoredLimit),
    budgets: (orgId) => budgets.filter(({ org_id }) => org_id === orgId).map(parseStoredBudget),
    timezone: (orgId) => orgs.find(({ id }) => id === orgId)?.timezone ?? 'UTC',
  };
}

/**
 * Parses a stored limit. The limit was validated when it was written. The schema adds the defaults
 * of fields that later releases introduced.
 */
export function parseStoredLimit({ id, rule_json }: GuardrailRuleRow): DeclaredGuardrailRule<LimitConfig> {
  return { id, source: 'console', config: LimitSchema.parse(JSON.parse(rule_json)) };
}

/** Parses a stored budget. */
export function parseStoredBudget({ id, rule_json }: GuardrailRuleRow): DeclaredGuardrailRule<BudgetConfig> {
  return { id, source: 'console', config: BudgetSchema.parse(JSON.parse(rule_json)) };
}

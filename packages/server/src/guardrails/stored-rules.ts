import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/guardrails';
import { allRules, type GuardrailRow } from '../store/guardrail-rules.ts';
import { allOrgs } from '../store/orgs.ts';
import type { Reader } from '../store/ports.ts';
import type { Declared } from './rules.ts';

/** Limits and budgets that were made through the API, by org. */
export interface StoredRules {
  limits(orgId: string): readonly Declared<LimitConfig>[];
  budgets(orgId: string): readonly Declared<BudgetConfig>[];
  /** Of an org that floe.yaml does not name. */
  timezone(orgId: string): string;
}

export const NO_STORED_RULES: StoredRules = {
  limits: () => [],
  budgets: () => [],
  timezone: () => 'UTC',
};

export async function loadStoredRules(reader: Reader): Promise<StoredRules> {
  const [limits, budgets, orgs] = await Promise.all([
    allRules(reader, 'limits'),
    allRules(reader, 'budgets'),
    allOrgs(reader),
  ]);
  return {
    limits: (orgId) => limits.filter(({ org_id }) => org_id === orgId).map(storedLimit),
    budgets: (orgId) => budgets.filter(({ org_id }) => org_id === orgId).map(storedBudget),
    timezone: (orgId) => orgs.find(({ id }) => id === orgId)?.timezone ?? 'UTC',
  };
}

/** A stored rule was checked when it was written; the schema fills in what a later release added. */
export function storedLimit({ id, rule_json }: GuardrailRow): Declared<LimitConfig> {
  return { id, source: 'console', config: LimitSchema.parse(JSON.parse(rule_json)) };
}

export function storedBudget({ id, rule_json }: GuardrailRow): Declared<BudgetConfig> {
  return { id, source: 'console', config: BudgetSchema.parse(JSON.parse(rule_json)) };
}

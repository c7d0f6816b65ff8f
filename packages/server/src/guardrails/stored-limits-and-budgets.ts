import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/limits-cache-policies';
import { type UnusableResource, UnusableResourceCollector } from '../platform/config/unusable-resources.ts';
import { listOrgs } from '../store/orgs.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { listAllStoredRules, type StoredRuleRow } from '../store/stored-rules.ts';
import type { ConfiguredLimitOrBudget } from './compile-limits-and-budgets.ts';

/** The limits and budgets in the database, by organization. */
export interface StoredLimitsAndBudgets {
  limits(orgId: string): readonly ConfiguredLimitOrBudget<LimitConfig>[];
  budgets(orgId: string): readonly ConfiguredLimitOrBudget<BudgetConfig>[];
  /** Returns the time zone of an organization that is not in floe.yaml. */
  timezone(orgId: string): string;
  /** Rules that a newer release stored and this release cannot read. It does not enforce them. */
  readonly unusable: readonly UnusableResource[];
}

/** The value for an installation without stored limits and budgets. */
export const NO_STORED_LIMITS_AND_BUDGETS: StoredLimitsAndBudgets = {
  limits: () => [],
  budgets: () => [],
  timezone: () => 'UTC',
  unusable: [],
};

/**
 * Returns the stored limits and budgets of the organizations in `orgIds`, or of all organizations if it is
 * undefined.
 */
export async function loadStoredLimitsAndBudgets(
  reader: DatabaseReader,
  orgIds?: readonly string[],
): Promise<StoredLimitsAndBudgets> {
  const [limits, budgets, orgs] = await Promise.all([
    listAllStoredRules(reader, 'limits', orgIds),
    listAllStoredRules(reader, 'budgets', orgIds),
    listOrgs(reader, orgIds),
  ]);
  const unusable = new UnusableResourceCollector();
  const parseAll = <Rule>(
    kind: string,
    rows: readonly StoredRuleRow[],
    parse: (row: StoredRuleRow) => Rule,
  ) =>
    rows.flatMap((row) =>
      unusable.read(`${row.org_id}/${kind}/${row.id}`, () => ({ orgId: row.org_id, rule: parse(row) })),
    );
  const parsedLimits = parseAll('limits', limits, parseStoredLimit);
  const parsedBudgets = parseAll('budgets', budgets, parseStoredBudget);
  return {
    unusable: unusable.found,
    limits: (orgId) => parsedLimits.filter((one) => one.orgId === orgId).map(({ rule }) => rule),
    budgets: (orgId) => parsedBudgets.filter((one) => one.orgId === orgId).map(({ rule }) => rule),
    timezone: (orgId) => orgs.find(({ id }) => id === orgId)?.timezone ?? 'UTC',
  };
}

/**
 * Parses a stored limit. The limit was validated when it was written. The schema adds the defaults
 * of fields that later releases introduced.
 */
export function parseStoredLimit({ id, rule_json }: StoredRuleRow): ConfiguredLimitOrBudget<LimitConfig> {
  return { id, source: 'console', config: LimitSchema.parse(JSON.parse(rule_json)) };
}

/** Parses a stored budget. */
export function parseStoredBudget({ id, rule_json }: StoredRuleRow): ConfiguredLimitOrBudget<BudgetConfig> {
  return { id, source: 'console', config: BudgetSchema.parse(JSON.parse(rule_json)) };
}

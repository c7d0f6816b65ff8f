import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { DeclaredResourceKind } from '../platform/declared-resources.ts';
import { computeConfigFileRuleId } from './compile-limits-and-budgets.ts';

/** The resource kind of limits in floe.yaml. They are not stored in the database. */
export const CONFIG_FILE_LIMIT_RESOURCE_KIND: DeclaredResourceKind<LimitConfig> & {
  readonly kind: 'limits';
} = {
  kind: 'limits',
  list: ({ limits }) => limits,
  nameOf: computeConfigFileRuleId,
};

/** The resource kind of budgets in floe.yaml. They are not stored in the database. */
export const CONFIG_FILE_BUDGET_RESOURCE_KIND: DeclaredResourceKind<BudgetConfig> & {
  readonly kind: 'budgets';
} = {
  kind: 'budgets',
  list: ({ budgets }) => budgets,
  nameOf: computeConfigFileRuleId,
};

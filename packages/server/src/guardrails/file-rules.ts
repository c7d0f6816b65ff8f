import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { ListedResourceKind } from '../platform/declared-resources.ts';
import { fileRuleId } from './compile-rules.ts';

/** Declares the limits in floe.yaml. They are not stored in the database. */
export const LIMIT_FILE_KIND: ListedResourceKind<LimitConfig> & { readonly kind: 'limits' } = {
  kind: 'limits',
  list: ({ limits }) => limits,
  nameOf: fileRuleId,
};

/** Declares the budgets in floe.yaml. They are not stored in the database. */
export const BUDGET_FILE_KIND: ListedResourceKind<BudgetConfig> & { readonly kind: 'budgets' } = {
  kind: 'budgets',
  list: ({ budgets }) => budgets,
  nameOf: fileRuleId,
};

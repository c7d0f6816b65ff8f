import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { ListedResourceKind } from '../platform/declared-resources.ts';
import { fileRuleId } from './compile-rules.ts';

/** Limits of floe.yaml. They are not stored: those that run are read from the file. */
export const LIMIT_FILE_KIND: ListedResourceKind<LimitConfig> & { readonly kind: 'limits' } = {
  kind: 'limits',
  list: ({ limits }) => limits,
  nameOf: fileRuleId,
};

/** The same for budgets. */
export const BUDGET_FILE_KIND: ListedResourceKind<BudgetConfig> & { readonly kind: 'budgets' } = {
  kind: 'budgets',
  list: ({ budgets }) => budgets,
  nameOf: fileRuleId,
};

import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { ListedKind } from '../platform/file-org.ts';
import { fileRuleId } from './rules.ts';

/** Limits of floe.yaml. They are not stored: those that run are read from the file. */
export const LIMITS: ListedKind<LimitConfig> & { readonly kind: 'limits' } = {
  kind: 'limits',
  list: ({ limits }) => limits,
  nameOf: fileRuleId,
};

/** The same for budgets. */
export const BUDGETS: ListedKind<BudgetConfig> & { readonly kind: 'budgets' } = {
  kind: 'budgets',
  list: ({ budgets }) => budgets,
  nameOf: fileRuleId,
};

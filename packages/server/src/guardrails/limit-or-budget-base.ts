import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { ModelPatternMatcher } from '../core/model-pattern.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import type { BudgetPeriod } from './budget-period.ts';

/** Where a limit or budget is defined: in floe.yaml (`file`) or in the database (`console`). */
export type LimitOrBudgetSource = 'file' | 'console';

/** The fields that limits and budgets have in common. */
export interface LimitOrBudgetBase {
  readonly id: string;
  readonly source: LimitOrBudgetSource;
  /** Included in the error when the rule rejects a request. */
  readonly name: string;
  /**
   * Returns the bucket for requests with this key and end user. Null if the rule does not apply to the key.
   */
  bucketFor(key: KeyRecord, endUser: string | null): string | null;
  /** Null if the rule applies to every model. */
  readonly models: ModelPatternMatcher | null;
  readonly onStoreError: 'local' | 'open' | 'closed';
}

/** A budget without its counters. */
export interface BudgetDefinition extends LimitOrBudgetBase {
  readonly config: BudgetConfig;
  readonly limitNanoUsd: number;
  /** Metadata values that a request must have for this budget to apply. */
  readonly metadata: readonly (readonly [name: string, value: string])[];
  periodAt(atMs: number): BudgetPeriod;
  /** The day in the organization's time zone, whatever the budget's period is. */
  dayAt(atMs: number): BudgetPeriod;
}

/** A limit without its counters. */
export interface LimitDefinition extends LimitOrBudgetBase {
  readonly config: LimitConfig;
}

import type { BucketClaim } from '../store/store-interfaces.ts';

/** A claim on a counter, and the limit or budget that the counter belongs to. */
export interface LimitOrBudgetClaim extends BucketClaim {
  /** Name of the limit or budget. */
  readonly name: string;
  readonly ruleId: string;
  readonly unit: 'requests' | 'tokens' | 'concurrency' | 'usd';
  /** Period of a budget: `day`, `week`, `month` or `total`. */
  readonly period: string;
  /** The day of a claim on a budget, in the organization's time zone. Empty for a limit. */
  readonly day: string;
}

import type { BucketClaim } from '../store/ports.ts';

/** A claim that knows the rule it came from. */
export interface RuleClaim extends BucketClaim {
  /** Of the limit or budget. */
  readonly name: string;
  readonly ruleId: string;
  readonly unit: 'requests' | 'tokens' | 'concurrency' | 'usd';
  /** Of a budget: `day`, `week`, `month`, `total`. */
  readonly period: string;
}

import type { BucketClaim } from '../store/ports.ts';

/** A claim on a bucket, with the limit or budget that it belongs to. */
export interface GuardrailRuleClaim extends BucketClaim {
  /** Name of the limit or budget. */
  readonly name: string;
  readonly ruleId: string;
  readonly unit: 'requests' | 'tokens' | 'concurrency' | 'usd';
  /** Period of a budget: `day`, `week`, `month` or `total`. */
  readonly period: string;
}

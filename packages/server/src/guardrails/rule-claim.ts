import type { Claim } from '../store/ports.ts';

/** A claim that knows the rule it came from. */
export interface RuleClaim extends Claim {
  /** Of the limit or budget. */
  readonly name: string;
  readonly rule: string;
  readonly counts: 'requests' | 'tokens' | 'concurrency' | 'usd';
  /** Of a budget: `day`, `week`, `month`, `total`. */
  readonly period: string;
}

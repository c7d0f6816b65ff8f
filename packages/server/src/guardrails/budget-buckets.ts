import { formatBudgetCounterName } from '../store/spend/budget-period-counters.ts';
import type { BudgetPeriod } from './budget-period.ts';
import type { BudgetDefinition } from './limit-or-budget-base.ts';

/** A budget's counter for one subject and period. */
export interface BudgetBucket {
  readonly rule: BudgetDefinition;
  /** The name of the counter. */
  readonly bucket: string;
  readonly period: BudgetPeriod;
  /** The current day in the organization's time zone. */
  readonly day: BudgetPeriod;
}

/** A budget's counters of the current period by subject. They are created once a day, not per request. */
export class BudgetBuckets {
  readonly #rule: BudgetDefinition;
  readonly #maxBuckets: number;
  readonly #buckets = new Map<string, BudgetBucket>();

  constructor(rule: BudgetDefinition, maxBuckets: number) {
    this.#rule = rule;
    this.#maxBuckets = maxBuckets;
  }

  get(subject: string, nowMs: number): BudgetBucket {
    const rule = this.#rule;
    const known = this.#buckets.get(subject);
    const day = rule.dayAt(nowMs);
    // Every period starts and ends at the start of a day.
    if (known?.day === day) return known;
    const period = rule.periodAt(nowMs);
    if (this.#buckets.size === this.#maxBuckets) this.#buckets.clear();
    const name = formatBudgetCounterName(rule.id, rule.config.period, day.name, subject);
    const bucket = { rule, period, day, bucket: name };
    this.#buckets.set(subject, bucket);
    return bucket;
  }
}

/**
 * Returns the budget id in the name of a counter. The id may contain colons.
 */
export function parseBudgetIdFromCounterName(bucket: string, period: string): string {
  return bucket.slice(2, bucket.indexOf(`:${period}:`, 2));
}

/** A budget amount that an exchange has reserved or spent. */
export interface BudgetCharge {
  readonly orgId: string;
  readonly bucket: string;
  /** Milliseconds since the epoch. 0 for a budget without an end. */
  readonly endsAt: number;
  readonly nanoUsd: number;
  /** Limit of the budget, to detect when a share of it is used. */
  readonly limitNanoUsd: number;
  /** Name, period and mode of the budget, for alerts. */
  readonly name: string;
  readonly period: string;
  /** The day of the charge in the organization's time zone: `2026-11-21`. Empty if it was not recorded. */
  readonly day: string;
  readonly mode: 'hard' | 'soft';
}

/** The amount spent from a budget in one period. Counters start from this amount. */
export interface BudgetSpendTable {
  org_id: string;
  /** Name of the counter. It consists of budget, period and subject. */
  bucket: string;
  spent_nano_usd: number;
  /** When the period ends, in Unix milliseconds. 0 for a budget that never resets. */
  ends_at: number;
  updated_at: number;
}

/** The position up to which each process's spend journal has been added to `budget_spend`. */
export interface SpendJournalsTable {
  id: string;
  applied: number;
  updated_at: number;
}

/**
 * The tables of limits, budgets and relay rules that were created with the API. Rules in floe.yaml
 * are not stored.
 */
export interface StoredRulesTable {
  id: string;
  org_id: string;
  /** The rule in the format of floe.yaml. */
  rule_json: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

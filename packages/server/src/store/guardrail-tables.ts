/** The amount spent from a budget in one period. Counters start from this amount. */
export interface BudgetSpendTable {
  org_id: string;
  /** Budget, period and subject, as the bucket name of counters. */
  bucket: string;
  spent_nano_usd: number;
  /** 0 for a budget without an end. */
  ends_at: number;
  updated_at: number;
}

/** How far a process's spend journal has been added to `budget_spend`. */
export interface SpendJournalsTable {
  id: string;
  applied: number;
  updated_at: number;
}

/**
 * The tables of limits, budgets and relay rules that were created with the API. Rules in floe.yaml
 * are not stored.
 */
export interface GuardrailRulesTable {
  id: string;
  org_id: string;
  /** The rule in the form of floe.yaml. */
  rule_json: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

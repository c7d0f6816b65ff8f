/** Spending of a budget in one period. Counters start from it. */
export interface BudgetSpendTable {
  org_id: string;
  /** Budget, period and subject, as the bucket name of counters. */
  bucket: string;
  spent_nano_usd: number;
  /** 0 for a budget without an end. */
  ends_at: number;
  updated_at: number;
}

/** How much of the spend journal of a process is in `budget_spend`. */
export interface SpendJournalsTable {
  id: string;
  applied: number;
  updated_at: number;
}

/** A limit or budget that was created with the API. Those of floe.yaml are not stored. */
export interface GuardrailRulesTable {
  id: string;
  org_id: string;
  /** The rule in the form of floe.yaml. */
  rule_json: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

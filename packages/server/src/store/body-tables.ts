/** What a client sent and was told in one exchange, kept because its org asked for it. */
export interface StoredBodiesTable {
  /** Of the exchange. */
  id: string;
  org_id: string;
  key_id: string;
  /** Whose key it was, as the exchange says; null for nobody's. */
  owner: string | null;
  created_at: number;
  /** Both bodies, encrypted. */
  sealed: string;
}

/** A response that its provider makes in the background, until what it cost is settled. */
export interface BackgroundResponsesTable {
  /** Of the exchange that asked for it. */
  id: string;
  org_id: string;
  response_id: string;
  /** Provider and credential that make it (`Provider.sealOrigin`). */
  origin: string;
  created_at: number;
  /** Nobody asks for it any longer then; what was reserved is charged. */
  expires_at: number;
  /** The process that looks after it, and until when others leave it alone. */
  owner: string;
  owner_until: number;
  /** When its provider is asked next, and how often it was. */
  next_at: number;
  attempts: number;
  /** Its exchange row so far and what it holds of budgets. */
  exchange_json: string;
}

/**
 * The stored request and response bodies of exchanges. A row exists only if the organization stores
 * bodies.
 */
export interface StoredBodiesTable {
  /** Id of the exchange. */
  id: string;
  org_id: string;
  key_id: string;
  /** Owner of the platform key. Null if the key has none. */
  owner: string | null;
  created_at: number;
  /** Both bodies, encrypted. */
  sealed: string;
}

/**
 * The background responses that providers are still generating. A row is deleted when its response
 * is finalized.
 */
export interface BackgroundResponsesTable {
  /** Id of the exchange that requested it. */
  id: string;
  org_id: string;
  response_id: string;
  /** The provider and credential that generate the response (`Provider.sealOrigin`). */
  origin: string;
  created_at: number;
  /** After this time the provider is no longer polled, and the reservation is charged. */
  expires_at: number;
  /**
   * The process that polls the provider, and when its lease ends. After that, other processes may take over
   * the response.
   */
  owner: string;
  owner_until: number;
  /** Time of the next poll, and number of polls so far. */
  next_at: number;
  attempts: number;
  /** The exchange's row without usage and cost, and its budget reservations. */
  exchange_json: string;
}

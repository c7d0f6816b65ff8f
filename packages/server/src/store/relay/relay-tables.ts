/** The relay's decisions, one row each. Decisions are written through their own spool. */
export interface RelayDecisionsTable {
  id: string;
  org_id: string;
  created_at: number;
  /** `shell`, `tool`, `prompt`, `file_read` or `file_write`. */
  event: string;
  decision: string;
  enforced_decision: string;
  rule: string | null;
  mode: string | null;
  /** A one-line summary of the event, with masked secrets. */
  input_summary: string;
  session_id: string | null;
  agent: string;
  agent_version: string | null;
  client_version: string | null;
  key_id: string;
  key_name: string;
  team: string | null;
  owner: string | null;
  repository: string | null;
  cwd: string | null;
  reason: string | null;
  user_message: string | null;
  agent_message: string | null;
  matches_json: string;
  findings_json: string;
  /**
   * The event with masked secrets, for simulation with other rules. Null if texts are not stored or the event is too
   * long.
   */
  event_json: string | null;
  approval_id: string | null;
  latency_us: number;
}

/** The actions that agents reported after they performed them. */
export interface RelayReportsTable {
  id: string;
  org_id: string;
  created_at: number;
  type: string;
  session_id: string | null;
  tool_use_id: string | null;
  agent: string;
  agent_version: string | null;
  key_id: string;
  key_name: string;
  owner: string | null;
  details_json: string;
}

/** The approvals that decisions with the result `ask` require. */
export interface RelayApprovalsTable {
  id: string;
  org_id: string;
  created_at: number;
  expires_at: number;
  /** `waiting`, `allowed`, `denied` or `expired`. */
  state: string;
  /** `once` or `session`. Null for a waiting or denied approval. */
  scope: string | null;
  decision_id: string;
  event: string;
  rules_json: string;
  /** Hash of the event. An approval is valid only for an equal event. */
  input_hash: string;
  session_id: string | null;
  agent: string;
  key_id: string;
  key_name: string;
  owner: string | null;
  repository: string | null;
  input_summary: string;
  reason: string;
  decided_at: number | null;
  decided_by: string | null;
  note: string | null;
  /** When an approval that is valid only once was used. */
  used_at: number | null;
}

/** Agent sessions, each with its number of model requests and relay calls. */
export interface RelaySessionsTable {
  org_id: string;
  session_id: string;
  key_id: string;
  key_name: string;
  owner: string | null;
  agent: string | null;
  agent_version: string | null;
  client_version: string | null;
  first_seen_at: number;
  last_seen_at: number;
  model_requests: number;
  last_model_request_at: number | null;
  relay_calls: number;
  last_relay_call_at: number | null;
}

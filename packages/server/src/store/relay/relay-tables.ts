/** One row per event the relay decided about. Written through a spool of its own. */
export interface RelayDecisionsTable {
  id: string;
  org_id: string;
  created_at: number;
  /** shell, tool, prompt, file_read or file_write. */
  event: string;
  decision: string;
  enforced_decision: string;
  rule: string | null;
  mode: string | null;
  /** The event in one line for people, secrets masked. */
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
  /** The event with secrets masked, to be judged again by other rules; null where texts are not kept. */
  event_json: string | null;
  approval_id: string | null;
  latency_us: number;
}

/** Something an agent did, told after the fact. */
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

/** A question that waits for a person, or was answered. */
export interface RelayApprovalsTable {
  id: string;
  org_id: string;
  created_at: number;
  expires_at: number;
  /** waiting, allowed, denied or expired. */
  state: string;
  /** once or session; null while it waits and when it was denied. */
  scope: string | null;
  decision_id: string;
  event: string;
  rules_json: string;
  /** Of what was asked about: an approval of one thing is none of another. */
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
  /** When an approval for once was used; null before. */
  used_at: number | null;
}

/** A session of an agent: how often it asked models, and how often the relay. */
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

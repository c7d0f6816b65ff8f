/** Tables of what floe.yaml may say about an org. */
export interface ConfigSchema {
  config_entries: ConfigEntriesTable;
  provider_credentials: ProviderCredentialsTable;
  idempotent_creations: IdempotentCreationsTable;
}

/** A provider, a route, a policy or a section of settings, wherever it was made. */
export interface ConfigEntriesTable {
  org_id: string;
  /** `providers`, `routes`, `policies` or `settings`. */
  kind: string;
  /** Provider id, model of the route, name of the policy, or section. */
  id: string;
  /** Never used again: what is sealed for this row opens in no later one of the same id. */
  row_id: string;
  /** Order among those of the same kind. */
  position: number;
  /** As floe.yaml would say it, without secrets. */
  entry_json: string;
  /** The rest of it, encrypted; null when there is none, and for what stands in floe.yaml. */
  secrets_sealed: string | null;
  secrets_version: number;
  /** `file` when it stands in floe.yaml, else `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** A key of a provider that was made by the API. */
export interface ProviderCredentialsTable {
  id: string;
  org_id: string;
  provider_id: string;
  name: string;
  weight: number;
  /** Scheme, host and port it was given for: it is sent nowhere else. */
  origin: string;
  last4: string;
  sealed: string;
  version: number;
  tested_at: number | null;
  /** What the last test found out. */
  test_json: string | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** The answer to a creation that came with an Idempotency-Key, for a day. */
export interface IdempotentCreationsTable {
  org_id: string;
  verb: string;
  idempotency_key: string;
  /** SHA-256 of the request. */
  request_hash: string;
  /** The answer, encrypted: it may carry a secret. */
  sealed: string;
  expires_at: number;
}

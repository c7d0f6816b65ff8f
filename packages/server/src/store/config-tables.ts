import type { Selectable } from 'kysely';

/** The tables of resources from floe.yaml and the API, and of the responses to create requests. */
export interface ConfigTables {
  config_entries: ConfigEntriesTable;
  provider_credentials: ProviderCredentialsTable;
  idempotent_creations: IdempotentCreationsTable;
}

/** The table of providers, routes, policies and settings sections, from floe.yaml or the API. */
export interface ConfigEntriesTable {
  org_id: string;
  /** `providers`, `routes`, `policies` or `settings`. */
  kind: string;
  /** Id of the provider, model of the route, name of the policy, or name of the settings section. */
  id: string;
  /** Never reused, so that secrets of this row cannot be decrypted for a later one with the same id. */
  row_id: string;
  /** Order among entries of the same kind. */
  position: number;
  /** The entry in the format of floe.yaml, without secrets. */
  entry_json: string;
  /** The encrypted secrets. Null if there are none, and for entries of floe.yaml. */
  secrets_sealed: string | null;
  secrets_version: number;
  /** `file` or `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

export type ConfigEntryRow = Selectable<ConfigEntriesTable>;

/** The table of provider credentials that were created with the API. */
export interface ProviderCredentialsTable {
  id: string;
  org_id: string;
  provider_id: string;
  name: string;
  weight: number;
  /** Scheme, host and port for which the credential was created. It is never sent to another origin. */
  origin: string;
  last4: string;
  sealed: string;
  version: number;
  tested_at: number | null;
  /** Result of the last test. */
  test_json: string | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** Responses to create requests with an Idempotency-Key header. A row is kept for one day. */
export interface IdempotentCreationsTable {
  org_id: string;
  verb: string;
  idempotency_key: string;
  /** SHA-256 of the request. */
  request_hash: string;
  /** The encrypted response, because it may contain a secret. */
  sealed: string;
  expires_at: number;
}

import type { ColumnType } from 'kysely';
import type { AlertDeliveriesTable, AlertsTable, ChannelsTable } from './alert-tables.ts';
import type { ConfigTables } from './config-tables.ts';
import type { AuditTable, PlatformKeysTable } from './key-and-audit-tables.ts';
import type {
  BackgroundJobsTable,
  BreakerChangesTable,
  LiveEventsTable,
  SavedViewsTable,
} from './live-tables.ts';
import type {
  InvitationsTable,
  MemberRemovalsTable,
  MemberRoleGrantsTable,
  MembersTable,
  OperatorsTable,
  TeamsTable,
  UsersTable,
} from './member-tables.ts';
import type { MonitoringTables } from './monitoring/monitoring-tables.ts';
import type {
  RelayApprovalsTable,
  RelayDecisionsTable,
  RelayReportsTable,
  RelaySessionsTable,
} from './relay/relay-tables.ts';
import type { BackgroundResponsesTable, StoredBodiesTable } from './response-tables.ts';
import type { RollupFigures, RollupSums } from './rollups/rollup-figures.ts';
import type { BudgetSpendTable, SpendJournalsTable, StoredRulesTable } from './rule-and-spend-tables.ts';
import type { SignInTables } from './sign-in-tables.ts';

/**
 * The tables, which are the same in both engines. Times are integers in Unix milliseconds, amounts
 * of money are integers in nano-USD, flags are 0 or 1, and columns whose name ends in `_json`
 * contain JSON text.
 */
export interface DatabaseSchema extends MonitoringTables, ConfigTables, SignInTables {
  orgs: OrgsTable;
  users: UsersTable;
  members: MembersTable;
  member_grants: MemberRoleGrantsTable;
  removed_members: MemberRemovalsTable;
  operators: OperatorsTable;
  teams: TeamsTable;
  invitations: InvitationsTable;
  platform_keys: PlatformKeysTable;
  audit: AuditTable;
  exchanges: ExchangesTable;
  exchange_metadata: ExchangeMetadataTable;
  rollup_minutes: RollupTable;
  rollup_hours: RollupTable;
  rollup_pairs: RollupPairsTable;
  provider_resources: ProviderResourcesTable;
  channels: ChannelsTable;
  alerts: AlertsTable;
  alert_deliveries: AlertDeliveriesTable;
  stored_responses: StoredResponsesTable;
  background_responses: BackgroundResponsesTable;
  stored_bodies: StoredBodiesTable;
  settings: SettingsTable;
  snapshot_changes: SnapshotChangesTable;
  budget_spend: BudgetSpendTable;
  spend_journals: SpendJournalsTable;
  replicas: ReplicasTable;
  limits: StoredRulesTable;
  budgets: StoredRulesTable;
  relay_rules: StoredRulesTable;
  relay_decisions: RelayDecisionsTable;
  relay_reports: RelayReportsTable;
  relay_approvals: RelayApprovalsTable;
  relay_sessions: RelaySessionsTable;
  live_events: LiveEventsTable;
  breaker_changes: BreakerChangesTable;
  views: SavedViewsTable;
  jobs: BackgroundJobsTable;
  migrations: MigrationsTable;
}

export type { BackgroundResponsesTable };

/** The organizations. */
export interface OrgsTable {
  id: string;
  name: string;
  created_at: number;
  /** JSON array of the metadata keys that are indexed and counted in rollups. Null for none. */
  metadata_keys_json: string | null;
  /** IANA name of the time zone; null for UTC. floe.yaml sets the time zone of its organizations itself. */
  timezone?: string | null | undefined;
  updated_at?: number | null | undefined;
  updated_by?: string | null | undefined;
}

/** The log of snapshot changes. Database triggers write it. One row per subject. */
export interface SnapshotChangesTable {
  /** `key` or `org`. */
  kind: string;
  /** Hash of a key, or id of an organization. */
  id: string;
  /** Number of the last change. It increases in the order of the commits. */
  seq: number;
}

/** The request log: one row per exchange. Rows are written through the spool. */
export interface ExchangesTable {
  id: string;
  org_id: string;
  created_at: number;
  surface: string;
  route_mode: string;
  key_id: string;
  key_name: string;
  team: string | null;
  owner: string | null;
  end_user: string | null;
  model_requested: string | null;
  provider: string | null;
  model: string | null;
  stream: number;
  status: number;
  /** `complete`, `partial`, `aborted`, `failed`, `blocked` or `cached`. */
  state: string;
  error_code: string | null;
  error_source: string | null;
  finish_reason: string | null;
  input_tokens: number | null;
  cached_tokens: number | null;
  cache_write_tokens: number | null;
  output_tokens: number | null;
  reasoning_tokens: number | null;
  /** `provider`, `estimated` or `none`. */
  usage_source: string;
  cost_nano_usd: number | null;
  cost_source: string | null;
  /** What a cached response would have cost, in nano-USD. Null for others, and without a price. */
  saved_nano_usd: number | null;
  /** `hit`, `miss`, `bypass` or `refresh`. Null if the cache is disabled. */
  cache: string | null;
  latency_ms: number;
  first_token_ms: number | null;
  /** Time that Floe itself needed: the latency without the time of the provider. */
  overhead_ms: number | null;
  request_bytes: number;
  response_bytes: number;
  /** Product name of the client according to the request, such as `claude-code`. Null if it is unknown. */
  client: string | null;
  /** The session id that the client sent. */
  session: string | null;
  /**
   * What the provider's prompt cache saved, in nano-USD. Negative if it cost more than it saved. Null if
   * nothing was cached or the price is unknown.
   */
  prompt_saved_nano_usd: number | null;
  metadata_json: string | null;
  dropped_json: string | null;
  attempts_json: string;
  decisions_json: string;
}

/** The values of declared metadata keys, so that filtered lists need not read all exchanges. */
export interface ExchangeMetadataTable {
  org_id: string;
  name: string;
  value: string;
  created_at: number;
  exchange_id: string;
}

/**
 * Totals of the exchanges that began in the same minute or hour and have the same value of a facet. A facet is
 * `all`, a dimension such as `model`, or a metadata key such as `metadata.project`.
 */
export interface RollupTable extends RollupFigures {
  org_id: string;
  facet: string;
  at: number;
  /** '' for exchanges without a value, and for `all`. */
  value: string;
}

/** Hourly sums for pairs of dimensions, such as `model+key`. They have no histograms. */
export interface RollupPairsTable extends RollupSums {
  org_id: string;
  facet: string;
  /** Value of the first dimension. */
  value: string;
  at: number;
  /** Value of the second dimension. */
  by_value: string;
}

/**
 * The resources that providers store, such as files and batches, and the platform keys that created
 * them.
 */
export interface ProviderResourcesTable {
  org_id: string;
  /** The id that the provider assigned. */
  resource_id: string;
  provider: string;
  /** Name of the provider credential that created the resource. Other accounts cannot access it. */
  credential: string;
  /** Collection of the resource, such as `files`. */
  kind: string;
  key_id: string;
  created_at: number;
  /** 1 if the usage in the resource's results has been counted; -n if only that in the first n lines has. */
  counted: number;
}

/**
 * The stored turns of conversations (Responses API). A turn is a request and its response, stored so that a
 * later request can continue it.
 */
export interface StoredResponsesTable {
  /** Id of the exchange that created it. */
  id: string;
  org_id: string;
  key_id: string;
  /** The response id that clients use. It is unique only at the provider that generated the response. */
  response_id: string;
  /** `id` of the previous turn. */
  previous_id: string | null;
  created_at: number;
  /** The provider and credential that generated the response (`Provider.sealOrigin`). */
  origin: string;
  /** 1 if the provider also stores the response under the same id. */
  stored_by_provider: number;
  /** The input and the response, encrypted. */
  sealed: string;
}

/** The settings of the installation, such as fingerprints and forced breaker states, by name. */
export interface SettingsTable {
  name: string;
  value: ColumnType<string, string, string>;
}

/** The server processes that are running. Each process regularly updates `seen_at` in its own row. */
export interface ReplicasTable {
  id: string;
  seen_at: number;
  /** The newest migration of the process's release. Null for releases that did not record it. */
  newest_migration?: number | null | undefined;
}

/** The migrations that were applied to the database. */
export interface MigrationsTable {
  number: number;
  name: string;
  applied_at: number;
  /** `Migration.compatibleFrom`. Null for migrations before `release-compatibility`. */
  compatible_from?: number | null | undefined;
}

/** All columns of `exchanges`, in the order of the table. */
export const EXCHANGE_COLUMNS = Object.keys({
  id: true,
  org_id: true,
  created_at: true,
  surface: true,
  route_mode: true,
  key_id: true,
  key_name: true,
  team: true,
  owner: true,
  end_user: true,
  model_requested: true,
  provider: true,
  model: true,
  stream: true,
  status: true,
  state: true,
  error_code: true,
  error_source: true,
  finish_reason: true,
  input_tokens: true,
  cached_tokens: true,
  cache_write_tokens: true,
  output_tokens: true,
  reasoning_tokens: true,
  usage_source: true,
  cost_nano_usd: true,
  cost_source: true,
  saved_nano_usd: true,
  cache: true,
  latency_ms: true,
  first_token_ms: true,
  overhead_ms: true,
  request_bytes: true,
  response_bytes: true,
  client: true,
  session: true,
  prompt_saved_nano_usd: true,
  metadata_json: true,
  dropped_json: true,
  attempts_json: true,
  decisions_json: true,
} satisfies Record<keyof ExchangesTable, true>);

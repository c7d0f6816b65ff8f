create table orgs (
  id text collate "C" not null primary key,
  name text collate "C" not null,
  created_at bigint not null,
  metadata_keys_json text,
  timezone text collate "C",
  updated_by text collate "C",
  updated_at bigint
);

create table platform_keys (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  name text collate "C" not null,
  hash text collate "C" not null unique,
  prefix text collate "C" not null,
  last4 text collate "C" not null,
  scopes_json text collate "C" not null,
  models_json text collate "C",
  team text collate "C",
  owner text collate "C",
  created_at bigint not null,
  created_by text collate "C",
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  source text collate "C" not null,
  source_line integer,
  updated_at bigint not null,
  paths_json text,
  previous_hash text collate "C",
  previous_prefix text collate "C",
  previous_last4 text collate "C",
  rotation_id text collate "C",
  previous_until bigint,
  previous_last_used_at bigint,
  rotated_at bigint,
  leaked_at bigint,
  source_file text,
  updated_by text
);

create index platform_keys_by_time on platform_keys (org_id, created_at, id);

create table audit (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  at bigint not null,
  actor text collate "C" not null,
  action text collate "C" not null,
  subject text collate "C" not null,
  before_json text collate "C",
  after_json text collate "C",
  actor_name text collate "C",
  hash text collate "C",
  seq bigint,
  reason text,
  ip_address text collate "C",
  session_id text collate "C"
);

create index audit_by_time on audit (org_id, at, id);

create table settings (
  name text collate "C" not null primary key,
  value text collate "C" not null
);

create table exchanges (
  id text collate "C" not null,
  org_id text collate "C" not null,
  created_at bigint not null,
  surface text collate "C" not null,
  route_mode text collate "C" not null,
  key_id text collate "C" not null,
  key_name text collate "C" not null,
  team text collate "C",
  owner text collate "C",
  end_user text collate "C",
  model_requested text collate "C",
  provider text collate "C",
  model text collate "C",
  stream integer not null,
  status integer not null,
  state text collate "C" not null,
  error_code text collate "C",
  error_source text collate "C",
  finish_reason text collate "C",
  input_tokens bigint,
  cached_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  usage_source text collate "C" not null,
  cost_nano_usd bigint,
  cost_source text collate "C",
  cache text collate "C",
  latency_ms double precision not null,
  first_token_ms double precision,
  overhead_ms double precision,
  request_bytes bigint not null,
  response_bytes bigint not null,
  metadata_json text collate "C",
  dropped_json text collate "C",
  attempts_json text collate "C" not null,
  decisions_json text collate "C" not null,
  saved_nano_usd bigint,
  client text,
  session text,
  prompt_saved_nano_usd bigint,
  constraint exchanges_key primary key (id, created_at)
) partition by range (created_at);

create index exchanges_by_time on exchanges (org_id, created_at, id);

create index exchanges_by_key on exchanges (org_id, key_id, created_at, id);

create function json_extract(document text, path text) returns text
language sql immutable strict parallel safe
as 'select document::json ->> (substr(path, 3)::json #>> ''{}'')';

create table exchange_metadata (
  org_id text collate "C" not null,
  name text collate "C" not null,
  value text collate "C" not null,
  created_at bigint not null,
  exchange_id text collate "C" not null,
  constraint exchange_metadata_key primary key (org_id, name, value, created_at, exchange_id)
) partition by range (created_at);

create table rollup_minutes (
  org_id text collate "C" not null,
  facet text collate "C" not null,
  at bigint not null,
  value text collate "C" not null,
  requests bigint default 0 not null,
  errors bigint default 0 not null,
  input_tokens bigint default 0 not null,
  cached_tokens bigint default 0 not null,
  cache_write_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  reasoning_tokens bigint default 0 not null,
  cost_nano_usd bigint default 0 not null,
  latency_ms double precision default 0 not null,
  latency_0 integer default 0 not null,
  latency_1 integer default 0 not null,
  latency_2 integer default 0 not null,
  latency_3 integer default 0 not null,
  latency_4 integer default 0 not null,
  latency_5 integer default 0 not null,
  latency_6 integer default 0 not null,
  latency_7 integer default 0 not null,
  latency_8 integer default 0 not null,
  latency_9 integer default 0 not null,
  latency_10 integer default 0 not null,
  latency_11 integer default 0 not null,
  latency_12 integer default 0 not null,
  latency_13 integer default 0 not null,
  latency_14 integer default 0 not null,
  latency_15 integer default 0 not null,
  latency_16 integer default 0 not null,
  latency_17 integer default 0 not null,
  first_token_0 integer default 0 not null,
  first_token_1 integer default 0 not null,
  first_token_2 integer default 0 not null,
  first_token_3 integer default 0 not null,
  first_token_4 integer default 0 not null,
  first_token_5 integer default 0 not null,
  first_token_6 integer default 0 not null,
  first_token_7 integer default 0 not null,
  first_token_8 integer default 0 not null,
  first_token_9 integer default 0 not null,
  first_token_10 integer default 0 not null,
  first_token_11 integer default 0 not null,
  first_token_12 integer default 0 not null,
  first_token_13 integer default 0 not null,
  first_token_14 integer default 0 not null,
  first_token_15 integer default 0 not null,
  first_token_16 integer default 0 not null,
  first_token_17 integer default 0 not null,
  saved_nano_usd bigint default 0 not null,
  constraint rollup_minutes_key primary key (org_id, facet, at, value)
) with (fillfactor = 70);

create table rollup_hours (
  org_id text collate "C" not null,
  facet text collate "C" not null,
  at bigint not null,
  value text collate "C" not null,
  requests bigint default 0 not null,
  errors bigint default 0 not null,
  input_tokens bigint default 0 not null,
  cached_tokens bigint default 0 not null,
  cache_write_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  reasoning_tokens bigint default 0 not null,
  cost_nano_usd bigint default 0 not null,
  latency_ms double precision default 0 not null,
  latency_0 integer default 0 not null,
  latency_1 integer default 0 not null,
  latency_2 integer default 0 not null,
  latency_3 integer default 0 not null,
  latency_4 integer default 0 not null,
  latency_5 integer default 0 not null,
  latency_6 integer default 0 not null,
  latency_7 integer default 0 not null,
  latency_8 integer default 0 not null,
  latency_9 integer default 0 not null,
  latency_10 integer default 0 not null,
  latency_11 integer default 0 not null,
  latency_12 integer default 0 not null,
  latency_13 integer default 0 not null,
  latency_14 integer default 0 not null,
  latency_15 integer default 0 not null,
  latency_16 integer default 0 not null,
  latency_17 integer default 0 not null,
  first_token_0 integer default 0 not null,
  first_token_1 integer default 0 not null,
  first_token_2 integer default 0 not null,
  first_token_3 integer default 0 not null,
  first_token_4 integer default 0 not null,
  first_token_5 integer default 0 not null,
  first_token_6 integer default 0 not null,
  first_token_7 integer default 0 not null,
  first_token_8 integer default 0 not null,
  first_token_9 integer default 0 not null,
  first_token_10 integer default 0 not null,
  first_token_11 integer default 0 not null,
  first_token_12 integer default 0 not null,
  first_token_13 integer default 0 not null,
  first_token_14 integer default 0 not null,
  first_token_15 integer default 0 not null,
  first_token_16 integer default 0 not null,
  first_token_17 integer default 0 not null,
  saved_nano_usd bigint default 0 not null,
  constraint rollup_hours_key primary key (org_id, facet, at, value)
) with (fillfactor = 70);

create table rollup_pairs (
  org_id text collate "C" not null,
  facet text collate "C" not null,
  value text collate "C" not null,
  at bigint not null,
  by_value text collate "C" not null,
  requests bigint default 0 not null,
  errors bigint default 0 not null,
  input_tokens bigint default 0 not null,
  cached_tokens bigint default 0 not null,
  cache_write_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  reasoning_tokens bigint default 0 not null,
  cost_nano_usd bigint default 0 not null,
  latency_ms double precision default 0 not null,
  saved_nano_usd bigint default 0 not null,
  constraint rollup_pairs_key primary key (org_id, facet, value, by_value, at)
) with (fillfactor = 70);

create index rollup_pairs_by_second on rollup_pairs (org_id, facet, by_value, value, at);

create index exchanges_by_model on exchanges (org_id, model, created_at, id);

create index exchanges_by_model_requested on exchanges (org_id, model_requested, created_at, id);

create index exchanges_by_provider on exchanges (org_id, provider, created_at, id);

create index exchanges_by_status on exchanges (org_id, (status / 100), created_at, id, status)
  where status < 200 or status >= 300;

create index exchanges_by_state on exchanges (org_id, state, created_at, id)
  where state <> 'complete';

create index exchanges_by_route_mode on exchanges (org_id, route_mode, created_at, id)
  where route_mode <> 'unified';

create table monitors (
  uid text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  id text collate "C" not null,
  name text collate "C" not null,
  description text collate "C" not null,
  interval_ms bigint,
  cron text collate "C",
  timezone text collate "C",
  grace_ms bigint,
  first_beat_due_ms bigint,
  alert_after_misses integer not null,
  tags_json text collate "C" not null,
  channels_json text collate "C" not null,
  paused integer not null,
  paused_until bigint,
  muted_until bigint,
  file_state text collate "C",
  token_version integer not null,
  disabled_at bigint,
  source text collate "C" not null,
  source_line integer,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  source_file text,
  fail_counts_as_miss integer default 0 not null,
  constraint monitors_by_id unique (org_id, id)
);

create index monitors_by_time on monitors (org_id, created_at, id);

create table monitor_defaults (
  org_id text collate "C" not null primary key,
  grace_ms bigint not null
);

create table monitor_clocks (
  uid text collate "C" not null primary key,
  org_id text collate "C" not null,
  id text collate "C" not null,
  token_hash text collate "C" not null unique,
  interval_ms bigint,
  cron text collate "C",
  timezone text collate "C",
  grace_ms bigint not null,
  first_beat_due_ms bigint,
  alert_after_misses integer not null,
  status text collate "C" not null,
  last_beat_at bigint,
  anchor_at bigint not null,
  expected_at bigint,
  due_at bigint,
  failing_since bigint,
  misses integer not null,
  alerted_since bigint,
  paused_until bigint,
  period_at bigint not null,
  settled_at bigint not null,
  run_at bigint,
  run_id text collate "C",
  wake_at bigint not null,
  fail_counts_as_miss integer default 0 not null,
  extended_from bigint,
  intervals text default '' not null,
  constraint monitor_clocks_by_id unique (org_id, id)
) with (fillfactor = 70);

create index monitor_clocks_by_wake on monitor_clocks (wake_at, uid);

create table checks (
  uid text collate "C" not null,
  at bigint not null,
  id text collate "C" not null,
  status text collate "C" not null,
  error text collate "C",
  expected_at bigint,
  detected_at bigint not null,
  received_at bigint,
  duration_ms bigint,
  metadata_json text collate "C",
  missed_count integer not null,
  constraint checks_key primary key (uid, at, id)
);

create index checks_not_ok on checks (uid, status, at, id)
  where status <> 'ok';

create table monitor_periods (
  uid text collate "C" not null,
  started_at bigint not null,
  status text collate "C" not null,
  reason text collate "C" not null,
  constraint monitor_periods_key primary key (uid, started_at)
);

create table beat_keys (
  uid text collate "C" not null,
  key text collate "C" not null,
  beat_id text collate "C" not null,
  received_at bigint not null,
  constraint beat_keys_key primary key (uid, key)
);

create index beat_keys_by_time on beat_keys (received_at);

create table monitor_leases (
  process_id text collate "C" not null primary key,
  seen_at bigint not null,
  accepted_until bigint not null,
  started_at bigint default 0 not null
);

create table monitor_pulse (
  id integer not null primary key,
  seen_at bigint not null
);

create table monitor_gaps (
  started_at bigint not null primary key,
  ended_at bigint not null,
  inferred integer default 0 not null,
  clock_stepped integer default 0 not null
);

create table channels (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  name text collate "C" not null,
  kind text collate "C" not null,
  settings_json text collate "C" not null,
  url_origin text collate "C",
  secrets_sealed text collate "C",
  secrets_version integer not null,
  enabled integer not null,
  source text collate "C" not null,
  source_line integer,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  leased_by text collate "C",
  leased_until bigint default 0 not null,
  backoff_until bigint default 0 not null,
  failures integer default 0 not null,
  source_file text,
  constraint channels_by_name unique (org_id, name)
);

create table alerts (
  seq bigserial not null primary key,
  id text collate "C" not null unique,
  org_id text collate "C" not null references orgs (id),
  idempotency_key text collate "C" not null,
  at bigint not null,
  event text collate "C" not null,
  phase text collate "C" not null,
  subject_kind text collate "C" not null,
  subject_id text collate "C" not null,
  subject_name text collate "C" not null,
  fields_json text collate "C" not null,
  channels_json text collate "C",
  routed_at bigint,
  closed_at bigint,
  constraint alerts_by_key unique (org_id, idempotency_key)
);

create index alerts_by_time on alerts (org_id, at, id);

create index alerts_by_subject on alerts (org_id, subject_kind, subject_id, seq);

create table alert_deliveries (
  seq bigserial not null primary key,
  id text collate "C" not null unique,
  org_id text collate "C" not null,
  alert_id text collate "C" not null,
  alert_seq bigint not null,
  channel_id text collate "C" not null,
  channel_name text collate "C" not null,
  repetition integer not null,
  state text collate "C" not null,
  pending_reason text collate "C",
  created_at bigint not null,
  due_at bigint not null,
  attempts integer default 0 not null,
  sent_at bigint,
  status integer,
  error text collate "C",
  grouped_into text collate "C",
  constraint alert_deliveries_once unique (alert_id, channel_id, repetition)
);

create index alert_deliveries_of_channel on alert_deliveries (channel_id, sent_at);

create index alerts_waiting on alerts (seq)
  where routed_at is null;

create index alerts_lasting on alerts (org_id, subject_kind, subject_id)
  where closed_at is null;

create index alert_deliveries_pending on alert_deliveries (channel_id, seq)
  where state = 'pending';

create table stored_responses (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  key_id text collate "C" not null,
  response_id text collate "C" not null,
  previous_id text collate "C",
  created_at bigint not null,
  origin text not null,
  stored_by_provider integer not null,
  sealed text not null
);

create index stored_responses_by_response on stored_responses (org_id, response_id, created_at);

create index stored_responses_by_age on stored_responses (org_id, created_at);

create index stored_responses_by_previous on stored_responses (previous_id);

create table budget_spend (
  org_id text collate "C" not null,
  bucket text collate "C" not null,
  spent_nano_usd bigint not null,
  ends_at bigint not null,
  updated_at bigint not null,
  constraint budget_spend_key primary key (org_id, bucket)
);

create index budget_spend_by_change on budget_spend (updated_at);

create table spend_journals (
  id text collate "C" not null primary key,
  applied bigint not null,
  updated_at bigint not null
);

create table replicas (
  id text collate "C" not null primary key,
  seen_at bigint not null
);

create table limits (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  rule_json text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  constraint limits_key primary key (org_id, id)
);

create table budgets (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  rule_json text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  constraint budgets_key primary key (org_id, id)
);

create table provider_resources (
  org_id text collate "C" not null,
  resource_id text collate "C" not null,
  provider text collate "C" not null,
  credential text collate "C" not null,
  kind text collate "C" not null,
  key_id text collate "C" not null,
  created_at bigint not null,
  counted integer default 0 not null,
  constraint provider_resources_key primary key (org_id, resource_id, provider)
);

create table boards (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  slug text collate "C" not null unique,
  name text collate "C" not null,
  public integer not null,
  timezone text collate "C",
  groups_json text collate "C" not null,
  source text collate "C" not null,
  source_line integer,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  source_file text
);

create index boards_by_org on boards (org_id, created_at, id);

create table maintenance_windows (
  org_id text collate "C" not null references orgs (id),
  id text collate "C" not null,
  name text collate "C" not null,
  starts_at bigint,
  ends_at bigint,
  cron text collate "C",
  timezone text collate "C",
  duration_ms bigint,
  monitors_json text collate "C" not null,
  tags_json text collate "C" not null,
  show_on_boards integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  constraint maintenance_windows_key primary key (org_id, id)
);

create table users (
  id text collate "C" not null primary key,
  email text collate "C" not null unique,
  name text collate "C" not null,
  password_hash text collate "C",
  preferences_json text collate "C",
  created_at bigint not null,
  updated_at bigint not null
);

create table members (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  user_id text collate "C" not null references users (id),
  role text collate "C" not null,
  team text collate "C",
  source text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  issuer text,
  constraint members_once unique (org_id, user_id)
);

create index members_by_user on members (user_id, org_id);

create table teams (
  org_id text collate "C" not null references orgs (id),
  id text collate "C" not null,
  name text collate "C" not null,
  cost_center text collate "C",
  source text collate "C" not null,
  source_line integer,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  source_file text,
  constraint teams_key primary key (org_id, id)
);

create table invitations (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  email text collate "C" not null,
  role text collate "C" not null,
  team text collate "C",
  token_sha256 text collate "C" not null unique,
  created_at bigint not null,
  created_by text collate "C" not null,
  expires_at bigint not null,
  accepted_at bigint,
  accepted_by text collate "C",
  revoked_at bigint
);

create index invitations_by_time on invitations (org_id, created_at, id);

create unique index audit_by_seq on audit (org_id, seq);

create function refuse_audit_change() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' and old.at < coalesce(
    (select cast(value as bigint) from settings where name = 'audit_kept_from'), 0)
  then return old; end if;
  raise exception 'the audit log is append-only';
end $body$;

create trigger audit_append_only before update or delete on audit
for each row execute function refuse_audit_change();

create trigger audit_never_truncated before truncate on audit
for each statement execute function refuse_audit_change();

create table sessions (
  id text collate "C" not null primary key,
  token_sha256 text collate "C" not null unique,
  previous_sha256 text collate "C",
  previous_until bigint not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  org_id text collate "C" not null,
  role text collate "C" not null,
  method text collate "C" not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null,
  stepped_up_until bigint not null,
  ip_address text collate "C" not null,
  user_agent text collate "C" not null,
  issuer text,
  passkey_id text collate "C"
);

create index sessions_by_previous on sessions (previous_sha256);

create index sessions_by_user on sessions (user_id);

create table passkeys (
  id text collate "C" not null primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  credential_id text collate "C" not null unique,
  public_key text collate "C" not null,
  counter bigint not null,
  transports_json text collate "C" not null,
  name text collate "C" not null,
  backed_up integer not null,
  created_at bigint not null,
  last_used_at bigint
);

create index passkeys_by_user on passkeys (user_id);

create table identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  created_at bigint not null,
  constraint identities_key primary key (issuer, subject)
);

create index identities_by_user on identities (user_id);

create table sign_in_attempts (
  bucket text collate "C" not null primary key,
  attempts bigint not null,
  last_attempt_at bigint not null,
  blocked_until bigint not null
);

create table used_tokens (
  sha256 text collate "C" not null primary key,
  expires_at bigint not null
);

create table config_entries (
  org_id text collate "C" not null references orgs (id),
  kind text collate "C" not null,
  id text collate "C" not null,
  row_id text collate "C" not null,
  position integer not null,
  entry_json text collate "C" not null,
  secrets_sealed text collate "C",
  secrets_version integer not null,
  source text collate "C" not null,
  source_line integer,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  source_file text,
  constraint config_entries_key primary key (org_id, kind, id)
);

create table provider_credentials (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  provider_id text collate "C" not null,
  name text collate "C" not null,
  weight double precision not null,
  origin text collate "C" not null,
  last4 text collate "C" not null,
  sealed text collate "C" not null,
  version integer not null,
  tested_at bigint,
  test_json text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  constraint provider_credentials_name unique (org_id, provider_id, name)
);

create table idempotent_creations (
  org_id text collate "C" not null references orgs (id),
  verb text collate "C" not null,
  idempotency_key text collate "C" not null,
  request_hash text collate "C" not null,
  sealed text collate "C" not null,
  expires_at bigint not null,
  constraint idempotent_creations_key primary key (org_id, verb, idempotency_key)
);

create index idempotent_creations_by_end on idempotent_creations (expires_at);

create function json_array_length(document text) returns integer
language sql immutable strict parallel safe
as 'select json_array_length(document::json)';

create table live_events (
  seq bigserial not null primary key,
  xid bigint default (pg_current_xact_id()::text)::bigint not null,
  org_id text collate "C" not null,
  topic text collate "C" not null,
  at bigint not null,
  data_json text collate "C" not null
);

create index live_events_in_order on live_events (org_id, xid, seq);

create table breaker_changes (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  breaker_id text collate "C" not null,
  at bigint not null,
  state text collate "C" not null,
  because text collate "C" not null
);

create index breaker_changes_by_time on breaker_changes (org_id, at, id);

create index breaker_changes_of_breaker on breaker_changes (org_id, breaker_id, at, id);

create table views (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  name text collate "C" not null,
  page text collate "C" not null,
  owner text collate "C" not null,
  shared integer not null,
  filters_json text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  constraint views_key primary key (org_id, id)
);

create table jobs (
  id text collate "C" not null primary key,
  org_id text collate "C" not null references orgs (id),
  kind text collate "C" not null,
  state text collate "C" not null,
  done bigint not null,
  total bigint,
  created_by text collate "C" not null,
  created_at bigint not null,
  seen_at bigint not null,
  ended_at bigint,
  cancel_requested integer not null,
  result_json text collate "C",
  error text collate "C"
);

create index jobs_by_time on jobs (org_id, created_at, id);

create table relay_decisions (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  created_at bigint not null,
  event text collate "C" not null,
  decision text collate "C" not null,
  enforced_decision text collate "C" not null,
  rule text collate "C",
  mode text collate "C",
  input_summary text collate "C" not null,
  session_id text collate "C",
  agent text collate "C" not null,
  agent_version text collate "C",
  client_version text collate "C",
  key_id text collate "C" not null,
  key_name text collate "C" not null,
  team text collate "C",
  owner text collate "C",
  repository text collate "C",
  cwd text collate "C",
  reason text collate "C",
  user_message text collate "C",
  agent_message text collate "C",
  matches_json text collate "C" not null,
  findings_json text collate "C" not null,
  event_json text collate "C",
  approval_id text collate "C",
  latency_us bigint not null,
  constraint relay_decisions_key primary key (org_id, id)
);

create index relay_decisions_by_time on relay_decisions (org_id, created_at, id);

create index relay_decisions_by_decision on relay_decisions (org_id, decision, created_at, id);

create index relay_decisions_by_rule on relay_decisions (org_id, rule, created_at, id);

create index relay_decisions_by_session_id on relay_decisions (org_id, session_id, created_at, id);

create index relay_decisions_by_key_name on relay_decisions (org_id, key_name, created_at, id);

create table relay_reports (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  created_at bigint not null,
  type text collate "C" not null,
  session_id text collate "C",
  tool_use_id text collate "C",
  agent text collate "C" not null,
  agent_version text collate "C",
  key_id text collate "C" not null,
  key_name text collate "C" not null,
  owner text collate "C",
  details_json text collate "C" not null,
  constraint relay_reports_key primary key (org_id, id)
);

create index relay_reports_by_time on relay_reports (org_id, created_at, id);

create index relay_reports_by_session_id on relay_reports (org_id, session_id, created_at, id);

create table relay_approvals (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  created_at bigint not null,
  expires_at bigint not null,
  state text collate "C" not null,
  scope text collate "C",
  decision_id text collate "C" not null,
  event text collate "C" not null,
  rules_json text collate "C" not null,
  input_hash text collate "C" not null,
  session_id text collate "C",
  agent text collate "C" not null,
  key_id text collate "C" not null,
  key_name text collate "C" not null,
  owner text collate "C",
  repository text collate "C",
  input_summary text collate "C" not null,
  reason text collate "C" not null,
  decided_at bigint,
  decided_by text collate "C",
  note text collate "C",
  used_at bigint,
  constraint relay_approvals_key primary key (org_id, id)
);

create index relay_approvals_by_time on relay_approvals (org_id, created_at, id);

create index relay_approvals_by_state on relay_approvals (org_id, state, created_at, id);

create index relay_approvals_by_session_id on relay_approvals (org_id, session_id, created_at, id);

create table relay_sessions (
  org_id text collate "C" not null references orgs (id),
  session_id text collate "C" not null,
  key_id text collate "C" not null,
  key_name text collate "C" not null,
  owner text collate "C",
  agent text collate "C",
  agent_version text collate "C",
  client_version text collate "C",
  first_seen_at bigint not null,
  last_seen_at bigint not null,
  model_requests bigint not null,
  last_model_request_at bigint,
  relay_calls bigint not null,
  last_relay_call_at bigint,
  constraint relay_sessions_key primary key (org_id, session_id, key_id)
);

create index relay_sessions_by_time on relay_sessions (org_id, last_seen_at);

create index relay_sessions_by_call on relay_sessions (last_relay_call_at);

create table relay_rules (
  id text collate "C" not null,
  org_id text collate "C" not null references orgs (id),
  rule_json text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  updated_by text collate "C" not null,
  constraint relay_rules_key primary key (org_id, id)
);

create table stored_bodies (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  key_id text collate "C" not null,
  owner text,
  created_at bigint not null,
  sealed text not null
);

create index stored_bodies_by_age on stored_bodies (org_id, created_at, id);

create index audit_by_kind on audit (org_id, (rtrim(action, 'abcdefghijklmnopqrstuvwxyz_')), at, id);

create table background_responses (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  response_id text collate "C" not null,
  origin text collate "C" not null,
  created_at bigint not null,
  expires_at bigint not null,
  owner text collate "C" not null,
  owner_until bigint not null,
  next_at bigint not null,
  attempts integer not null,
  exchange_json text not null
);

create index background_responses_by_response on background_responses (org_id, response_id);

create table member_grants (
  org_id text collate "C" not null references orgs (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  issuer text collate "C" not null,
  role text collate "C" not null,
  team text collate "C",
  constraint member_grants_key primary key (org_id, user_id, issuer)
);

create index member_grants_by_user on member_grants (user_id);

create table removed_members (
  org_id text collate "C" not null references orgs (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  removed_at bigint not null,
  removed_by text collate "C" not null,
  constraint removed_members_key primary key (org_id, user_id)
);

create table operators (
  user_id text collate "C" not null primary key references users (id) on delete cascade,
  granted_at bigint not null,
  granted_by text collate "C" not null
);

create index exchanges_by_session on exchanges (org_id, session, created_at, id)
  where session is not null;

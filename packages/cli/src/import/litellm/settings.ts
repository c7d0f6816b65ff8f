import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { ConfigDraft } from '../config-draft.ts';
import type { ImportSourceObject } from '../import-source-object.ts';
import { toBudgetPeriod } from './budget-periods.ts';

const LOGGING = 'set up alerts, metrics and stored bodies in Floe';
const INSTALLATION = 'the setting applies only to LiteLLM itself';
const ZERO_BUDGET = 'a Floe budget must be greater than 0';

const LITELLM_REASONS: Readonly<Record<string, string>> = {
  drop_params:
    'Floe always removes fields that a provider does not support and lists them in the response header x-floe-dropped',
  modify_params: 'Floe has no setting that changes how it translates requests',
  callbacks: LOGGING,
  success_callback: LOGGING,
  failure_callback: LOGGING,
  service_callback: LOGGING,
  turn_off_message_logging: 'Floe stores bodies only if bodies.keep is set',
  redact_user_api_key_info: 'Floe never stores key values',
  set_verbose: 'set FLOE_LOG_LEVEL',
  json_logs: 'Floe always writes JSON logs',
  telemetry: 'Floe sends no telemetry',
  guardrails: 'write policies in floe.yaml',
  default_internal_user_params: 'Floe has no default settings for users',
  default_team_settings: 'Floe has no default settings for teams',
  default_key_generate_params: 'Floe has no default settings for keys',
  upperbound_key_generate_params: 'Floe has no upper bounds for the settings of keys',
  ssl_verify: 'set outbound.ca_file in floe.yaml',
  max_internal_user_budget: 'set a budget with per: owner',
  internal_user_budget_duration: 'set a budget with per: owner',
};

const GENERAL_REASONS: Readonly<Record<string, string>> = {
  master_key: 'create a platform key with the scope management',
  salt_key: 'Floe encrypts stored secrets with its own key',
  database_url:
    'to import teams, keys and budgets, pass this URL with --database; Floe stores its own data elsewhere',
  database_connection_pool_limit: INSTALLATION,
  database_connection_timeout: INSTALLATION,
  store_model_in_db:
    'Floe always accepts changes through its API; the import does not read the models in the database',
  alerting: 'set up channels in floe.yaml',
  alerting_threshold: 'set up channels in floe.yaml',
  alerting_args: 'set up channels in floe.yaml',
  pass_through_endpoints: 'set orgs[].passthrough in floe.yaml',
  custom_auth: 'callers authenticate with platform keys',
  enable_jwt_auth: 'set up OpenID Connect for users; API callers use platform keys',
  litellm_jwtauth: 'set up OpenID Connect for users; API callers use platform keys',
  allowed_routes: 'restrict keys with scopes and models',
  proxy_batch_write_at: INSTALLATION,
  health_check_interval: 'Floe determines the state of a target from its requests',
  background_health_checks: 'Floe determines the state of a target from its requests',
  max_parallel_requests: 'set concurrency in a limit',
  disable_spend_logs: 'set retention.requests_days in floe.yaml',
  maximum_spend_logs_retention_period: 'set retention.requests_days in floe.yaml',
  completion_model: 'clients must name the model in the request',
  infer_model_from_keys: 'Floe serves the models of its providers and routes',
};

/**
 * Converts the settings in `litellm_settings`, such as the budget and the cache. `readLitellmRouterSettings`
 * converts the routing settings.
 */
export function convertLitellmSettings(settings: ImportSourceObject, draft: ConfigDraft): void {
  readCache(settings, draft);
  readOrgBudget(settings, draft);
  const perUser = settings.number('max_end_user_budget');
  if (perUser !== undefined && perUser > 0) {
    draft.addBudget('end-users', { per: 'end_user', period: 'total', limit_usd: perUser });
    settings.note('max_end_user_budget', 'changed', 'became a budget with per: end_user that never resets');
  }
  if (perUser === 0) settings.note('max_end_user_budget', 'not_imported', ZERO_BUDGET);
  settings.leaveOut(LITELLM_REASONS);
  settings.finish();
}

function readOrgBudget(settings: ImportSourceObject, draft: ConfigDraft): void {
  const limit = settings.number('max_budget');
  const period = toBudgetPeriod(settings.text('budget_duration'));
  if (!period) settings.problem('budget_duration', 'must be a duration such as 30d');
  if (limit === 0) settings.note('max_budget', 'not_imported', ZERO_BUDGET);
  if (limit === undefined || limit === 0 || !period) return;
  draft.addBudget('litellm', { scope: 'org', period: period.period, limit_usd: limit });
  if (period.note !== '') settings.note('budget_duration', 'changed', period.note);
}

function readCache(settings: ImportSourceObject, draft: ConfigDraft): void {
  const enabled = settings.boolean('cache');
  const params = settings.object('cache_params');
  const ttl = params?.number('ttl') ?? params?.number('default_in_memory_ttl');
  if (enabled)
    draft.settings['cache'] = {
      enabled: true,
      scope: 'org',
      ...(ttl !== undefined && ttl >= 1 && { ttl_seconds: Math.floor(ttl) }),
    };
  if (enabled)
    settings.note(
      'cache',
      'changed',
      'became cache with scope: org, which returns cached responses only for identical requests',
    );
  params?.leaveOut({
    type: 'set storage.shared in floe.yaml',
    mode: 'to skip the cache, send the header x-floe-cache: bypass',
  });
  params?.leaveOutRest('set cache and storage.shared in floe.yaml');
  params?.finish();
}

/** Converts the settings in `general_settings`. */
export function convertLitellmGeneralSettings(settings: ImportSourceObject, draft: ConfigDraft): void {
  const concurrency = settings.number('global_max_parallel_requests');
  if (concurrency !== undefined && concurrency >= 1) {
    draft.addLimit('litellm', { scope: 'org', concurrency: Math.floor(concurrency) });
    settings.note('global_max_parallel_requests', 'changed', 'became a limit of the organization');
  }
  if (concurrency !== undefined && concurrency < 1)
    settings.note('global_max_parallel_requests', 'not_imported', 'a Floe limit must be at least 1');
  const header = settings.text('user_header_name');
  if (header !== undefined) {
    draft.settings['attribution'] = { user_headers: [escapeVariableReferences(header.toLowerCase())] };
    settings.note('user_header_name', 'changed', 'became attribution.user_headers');
  }
  settings.leaveOut(GENERAL_REASONS);
  settings.finish();
}

/**
 * Reports the environment variables that the LiteLLM configuration sets. They must be set in the environment
 * of Floe instead.
 */
export function reportLitellmEnvironmentVariables(variables: ImportSourceObject): void {
  for (const name of variables.names())
    variables.note(name, 'not_imported', 'set the variable in the environment of the Floe server');
  variables.finish();
}

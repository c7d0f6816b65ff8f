import type { FloeConfigInput } from '@floe/contract/config';
import { FULL_RELAY_CONFIG } from './full-relay-config.ts';

type OrgInput = NonNullable<FloeConfigInput['orgs']>[number];

/**
 * The values of the `${NAME}` variables in `FULL_ORG_CONFIG`. The names are those that an export
 * uses.
 */
export const FULL_ORG_SECRETS: Readonly<Record<string, string>> = {
  KEY_CI: `eis_ci${'0'.repeat(32)}`,
  KEY_NIGHT: `eis_night${'0'.repeat(32)}`,
  PROVIDER_MAIN_FIRST_KEY: 'sk-first-never-shown',
  PROVIDER_MAIN_SECOND_KEY: 'sk-second-never-shown',
  PROVIDER_MAIN_HEADER_X_EXTRA: 'header-never-shown',
  PROVIDER_AZURE_DEFAULT_KEY: 'azure-never-shown',
  PROVIDER_CLOUD_SECRET_ACCESS_KEY: 'aws-never-shown',
  PROVIDER_CLOUD_SESSION_TOKEN: 'session-never-shown',
  CHANNEL_HOOK_URL: 'http://127.0.0.1:9/never-shown',
  CHANNEL_HOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  CHANNEL_SLACK_URL: 'http://127.0.0.1:9/never-shown/slack',
  CHANNEL_DISCORD_URL: 'http://127.0.0.1:9/never-shown/discord',
  CHANNEL_TEAMS_URL: 'http://127.0.0.1:9/never-shown/teams',
  CHANNEL_PAGER_ROUTING_KEY: 'routing-never-shown',
  CHANNEL_PHONE_URL: 'http://127.0.0.1:9/topic',
  CHANNEL_PHONE_TOKEN: 'token-never-shown',
  CHANNEL_CHAT_BOT_TOKEN: '1:bot-never-shown',
};

/** A reference to a variable in floe.yaml. */
const named = (name: string) => `\${${name}}`;

const TIMEOUTS = { connect_ms: 1, headers_ms: 2, first_token_ms: 3, idle_ms: 4, total_ms: 5 };
/** An organization with a value in every field. None of the values is the default. */
export const FULL_ORG_CONFIG: OrgInput = {
  id: 'acme',
  name: 'Acme of the tests',
  timezone: 'Europe/Berlin',
  chat_reasoning: 'forward',
  stored_responses: false,
  resource_scope: 'org',
  analytics: { metadata_keys: ['project', 'feature'] },
  attribution: { user_headers: ['X-User-Email'] },
  monitoring: { grace_period_minutes: 7 },
  bodies: { keep: true, redact: false },
  teams: [
    { id: 'platform', name: 'Platform', cost_center: '4711' },
    { id: 'growth', name: 'Growth', cost_center: '4712' },
  ],
  keys: [
    {
      name: 'ci',
      key: named('KEY_CI'),
      scopes: ['gateway', 'relay', 'read'],
      team: 'growth',
      owner: 'jo@acme.example',
      models: ['main/*'],
      paths: ['/gateway/v1/files'],
      expires_at: '2030-01-01T00:00:00.000Z',
    },
    { name: 'night', key: named('KEY_NIGHT'), scopes: ['beat'] },
  ],
  providers: [
    {
      id: 'main',
      kind: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
      enabled: true,
      credentials: [
        { name: 'first', api_key: named('PROVIDER_MAIN_FIRST_KEY'), weight: 2 },
        { name: 'second', api_key: named('PROVIDER_MAIN_SECOND_KEY') },
      ],
      models: ['large', 'small*'],
      dialects: ['chat', 'responses'],
      headers: { 'x-extra': named('PROVIDER_MAIN_HEADER_X_EXTRA') },
      body: { service_tier: 'flex' },
      billing: 'seat',
      price_multiplier: 0.5,
      prices: {
        large: {
          input: 1,
          output: 2,
          cache_read: 0.1,
          cache_write: 1.25,
          units: { web_search: 10 },
          tiers: { flex: 0.5 },
        },
      },
      timeouts: TIMEOUTS,
      breaker: {
        enabled: false,
        consecutive_failures: 9,
        error_rate: 0.25,
        slow_first_token_ms: 900,
        open_ms: 800,
      },
    },
    {
      id: 'azure',
      kind: 'azure-openai',
      base_url: 'https://acme.openai.azure.example',
      api_key: named('PROVIDER_AZURE_DEFAULT_KEY'),
      api_version: '2024-10-21',
      deployments: { 'gpt-5': 'our-gpt-5' },
    },
    {
      id: 'cloud',
      kind: 'bedrock',
      region: 'eu-central-1',
      identity: {
        access_key_id: 'AKIAEXAMPLE',
        secret_access_key: named('PROVIDER_CLOUD_SECRET_ACCESS_KEY'),
        session_token: named('PROVIDER_CLOUD_SESSION_TOKEN'),
      },
    },
    { id: 'vertex', kind: 'vertex', region: 'europe-west4', project: 'acme' },
    { id: 'seats', kind: 'anthropic', credential_source: 'caller' },
    { id: 'spare', kind: 'sandbox', enabled: false },
  ],
  passthrough: {
    a: [{ provider: 'main', model_map: { 'gpt-5': 'large' } }],
    b: [{ provider: 'seats', model_map: { claude: 'claude-sonnet-4-5' } }],
  },
  routes: [
    {
      model: 'smart',
      enabled: false,
      strategy: 'weighted',
      targets: [{ model: 'main/large', weight: 3 }, { model: 'azure/gpt-5' }],
      retries: 0,
      rescue: 'replay',
      cache: 'off',
      timeouts: TIMEOUTS,
      chat_reasoning: 'forward',
    },
    { model: 'main/*', retries: 1 },
  ],
  limits: [
    { name: 'whole', scope: 'org', rpm: 600, tpm: 1_000, concurrency: 5, on_store_error: 'open' },
    { scope: 'team', team: 'growth', rpm: 60 },
    { scope: 'key', key: 'ci', model: 'main/*', tpm: 50 },
    { scope: 'owner', owner: 'jo@acme.example', rpm: 40 },
    { scope: 'end_user', end_user: 'mara', rpm: 30 },
    { per: 'key', rpm: 20 },
  ],
  budgets: [
    {
      name: 'month',
      scope: 'org',
      model: 'main/*',
      metadata: { project: 'x' },
      period: 'month',
      limit_usd: 12.5,
      mode: 'soft',
      on_store_error: 'closed',
    },
    { name: 'team', scope: 'team', team: 'growth', period: 'day', limit_usd: 1 },
    { name: 'key', scope: 'key', key: 'ci', period: 'week', limit_usd: 1 },
    { name: 'owner', scope: 'owner', owner: 'jo@acme.example', period: 'total', limit_usd: 1 },
    { name: 'user', scope: 'end_user', end_user: 'mara', period: 'day', limit_usd: 1 },
    { name: 'each', per: 'key', period: 'day', limit_usd: 1 },
  ],
  cache: { enabled: true, ttl_seconds: 60, scope: 'org' },
  policies: [
    {
      name: 'cap',
      on: 'request',
      when: 'request.max_tokens > 8',
      action: 'deny',
      mode: 'enforce',
      message: 'At most eight.',
    },
    {
      name: 'mail',
      enabled: false,
      on: 'answer',
      detect: { secrets: true, pii: ['email'] },
      action: 'flag',
    },
  ],
  ide: { error_profile: false, freeform_tools: 'custom', capture: true },
  monitors: [
    {
      id: 'nightly',
      name: 'Nightly',
      kind: 'heartbeat',
      description: 'Copies everything.',
      expected_interval_minutes: 60,
      grace_period_minutes: 3,
      tags: ['backup'],
      paused: true,
      paused_until: '2026-11-22T00:00:00.000Z',
      muted_until: '2026-11-23T00:00:00.000Z',
      alert_after_misses: 2,
      fail_counts_as_miss: true,
      first_beat_due_minutes: 90,
      channels: ['hook'],
    },
    { id: 'weekly', schedule: { cron: '0 3 * * 1', timezone: 'Asia/Kathmandu' } },
  ],
  channels: [
    {
      name: 'hook',
      kind: 'webhook',
      url: named('CHANNEL_HOOK_URL'),
      secret: named('CHANNEL_HOOK_SECRET'),
      events: ['monitor_failing'],
      tags: ['backup'],
      realert_minutes: 30,
    },
    { name: 'slack', kind: 'slack', url: named('CHANNEL_SLACK_URL') },
    { name: 'discord', enabled: false, kind: 'discord', url: named('CHANNEL_DISCORD_URL') },
    { name: 'teams', kind: 'teams', url: named('CHANNEL_TEAMS_URL') },
    { name: 'mail', kind: 'email', to: ['ops@acme.example'] },
    {
      name: 'pager',
      kind: 'pagerduty',
      routing_key: named('CHANNEL_PAGER_ROUTING_KEY'),
      base_url: 'https://events.eu.pagerduty.example',
    },
    { name: 'phone', kind: 'ntfy', url: named('CHANNEL_PHONE_URL'), token: named('CHANNEL_PHONE_TOKEN') },
    {
      name: 'chat',
      kind: 'telegram',
      bot_token: named('CHANNEL_CHAT_BOT_TOKEN'),
      chat_id: '-42',
      base_url: 'https://telegram.example',
    },
  ],
  boards: [
    {
      slug: 'status',
      name: 'Status',
      public: true,
      timezone: 'Asia/Kathmandu',
      groups: [{ name: 'Jobs', monitors: ['nightly', 'weekly'] }],
    },
  ],
  relay: FULL_RELAY_CONFIG,
};

/**
 * The fields that no copy of a configuration contains, because they are specific to the host of an
 * installation.
 */
export const MACHINE_FIELDS: readonly string[] = [
  // An imported key is exported without its value, like any other.
  'keys[].imported_',
  'providers[].outbound',
  'providers[].client_cert',
  'providers[].role_arn',
  'providers[].identity.profile',
  'providers[].identity.external_id',
  'providers[].identity.file',
  'providers[].identity.metadata',
];

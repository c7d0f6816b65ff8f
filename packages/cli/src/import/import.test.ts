import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { findCrossObjectIssues } from '@floe/contract/config/cross-object-rules';
import fc from 'fast-check';
import { convertBifrost } from './bifrost.ts';
import { type ConfigDraft, formatFloeYaml } from './config-draft.ts';
import { ImportSourceError, parseImportSource } from './import-source.ts';
import type { ImportSourceObject } from './import-source-object.ts';
import { convertLitellm } from './litellm/convert.ts';
import { convertPortkey } from './portkey.ts';
import { formatRequiredEnvironmentVariables, runImport } from './run-import.ts';

type Convert = (root: ImportSourceObject, draft: ConfigDraft) => void;

const PRODUCTS: Readonly<Record<string, { readonly convert: Convert; readonly pattern: RegExp }>> = {
  litellm: {
    convert: (root, draft) => convertLitellm(root, draft, null),
    pattern: /^os\.environ\/(.+)$/,
  },
  portkey: { convert: convertPortkey, pattern: /^env:(.+)$/ },
  bifrost: { convert: convertBifrost, pattern: /^env\.(.+)$/ },
};

function convert(product: string, source: unknown) {
  const { convert: run, pattern } = PRODUCTS[product] ?? assert.fail(product);
  const { draft, report, secrets } = runImport(source, pattern, run);
  const config = JSON.parse(JSON.stringify(draft.toConfig('default')));
  const yaml = formatFloeYaml(config, []);
  return {
    config,
    yaml,
    report,
    text: report.format() + formatRequiredEnvironmentVariables(secrets.required()),
    secrets,
  };
}

/** A configuration of each product with most of its fields; `secret` stands for every secret. */
const SOURCES: Readonly<Record<string, (secret: string) => object>> = {
  litellm: (secret) => ({
    model_list: [
      {
        model_name: 'fast',
        litellm_params: {
          model: 'azure/dep',
          api_key: secret,
          api_base: 'https://acme.openai.azure.com/',
          api_version: '2024-10-21',
          rpm: 10,
          tpm: 100,
          weight: 2,
          timeout: 5,
          stream_timeout: 2,
          extra_headers: { authorization: secret },
          client_secret: secret,
          someday: secret,
        },
        model_info: { base_model: 'azure/gpt-4o', access_groups: ['beta'], id: secret },
      },
      {
        model_name: 'fast',
        litellm_params: {
          model: 'bedrock/us-east-1/anthropic.claude',
          aws_access_key_id: secret,
          aws_secret_access_key: secret,
          aws_session_token: secret,
          input_cost_per_token: 1e-6,
        },
      },
      {
        model_name: 'gem',
        litellm_params: { model: 'vertex_ai/gemini-2.5-pro', vertex_credentials: `{"k":"${secret}"}` },
      },
      { model_name: 'url', litellm_params: { model: 'openai/x', api_base: `https://u:${secret}@host/v1` } },
      { model_name: 'openai/*', litellm_params: { model: 'openai/*', api_key: 'os.environ/OPENAI_API_KEY' } },
      { model_name: 'other', litellm_params: { model: 'replicate/x', api_key: secret } },
    ],
    router_settings: {
      routing_strategy: 'latency-based-routing',
      model_group_alias: { smart: 'fast', hid: { model: 'gem', hidden: true } },
      fallbacks: [{ fast: ['gem'] }],
      context_window_fallbacks: [{ gem: ['openai/gpt-5'] }],
      num_retries: 3,
      redis_password: secret,
    },
    litellm_settings: {
      cache: true,
      cache_params: { type: 'redis', password: secret, ttl: 60 },
      max_budget: 5,
    },
    general_settings: { master_key: secret, database_url: `postgres://u:${secret}@h/d`, slack: secret },
    environment_variables: { LANGFUSE: secret },
    surprise: { deep: [secret] },
  }),
  portkey: (secret) => ({
    prod: {
      strategy: { mode: 'loadbalance', on_status_codes: [429] },
      targets: [
        { provider: 'openai', api_key: secret, weight: 3, override_params: { model: 'gpt-5', top_p: 1 } },
        {
          virtual_key: 'anthropic-1a2b',
          override_params: { model: 'claude-sonnet-4' },
          secret_field: secret,
        },
        { provider: '@groq-main', override_params: { model: 'llama' } },
      ],
      retry: { attempts: 3, on_status_codes: [500] },
      cache: { mode: 'semantic', max_age: 60 },
      request_timeout: 1000,
    },
    plain: { provider: 'openai', api_key: secret },
  }),
  bifrost: (secret) => ({
    providers: {
      openai: {
        keys: [
          { name: 'a', value: secret, models: ['gpt-5'], weight: 0.7 },
          { name: 'b', value: 'env.OPENAI_KEY', models: [], weight: 0.3 },
        ],
        network_config: {
          default_request_timeout_in_seconds: 30,
          max_retries: 2,
          extra_headers: { x: secret },
        },
        proxy_config: { password: secret },
      },
      azure: {
        keys: [
          {
            value: secret,
            azure_key_config: { endpoint: 'https://a.openai.azure.com', deployments: { 'gpt-4o': 'd' } },
          },
        ],
      },
    },
    governance: {
      virtual_keys: [
        {
          id: 'vk',
          name: 'ci',
          value: `sk-bf-${secret}`,
          team_id: 't',
          budget_id: 'b',
          rate_limit_id: 'r',
          is_active: true,
          provider_configs: [{ provider: 'openai', weight: 1, allowed_models: ['gpt-5'] }],
        },
      ],
      teams: [{ id: 't', name: 'Search' }],
      budgets: [{ id: 'b', max_limit: 10, reset_duration: '1M' }],
      rate_limits: [{ id: 'r', request_max_limit: 60, request_reset_duration: '1h', token_max_limit: 1000 }],
    },
    client: { log: secret },
  }),
};

for (const [product, source] of Object.entries(SOURCES)) {
  test(`${product}: the result has the shape of floe.yaml`, () => {
    const { config, report } = convert(product, source('a-secret-value'));
    // Variables are replaced before the check of a server.
    const filled = JSON.parse(JSON.stringify(config).replaceAll(/\$\{\w+\}/g, 'value'));
    const parsed = FloeConfigSchema.safeParse(filled);
    assert.ok(parsed.success, JSON.stringify(parsed.error?.issues));
    assert.deepEqual(findCrossObjectIssues(filled), []);
    assert.ok(report.counts().imported > 5);
  });

  test(`${product}: every field of the source has a line in the report`, () => {
    const given = source('a-secret-value');
    const told = convert(product, given)
      .report.lines()
      .map(({ field }) => field);
    for (const path of pathsOf(given)) {
      const field = formatPath(path);
      const isTold = told.some(
        (one) => one === field || one.startsWith(`${field}.`) || one.startsWith(`${field}[`),
      );
      const isInside = told.some((one) => field.startsWith(`${one}.`) || field.startsWith(`${one}[`));
      assert.ok(isTold || isInside, field);
    }
  });
}

test('no secret of the source is in the result or the report', () => {
  for (const [product, source] of Object.entries(SOURCES))
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9+/='$ {}_-]{12,40}$/), (text) => {
        const secret = `Zq7${text.trim()}x`;
        const { yaml, text: report, secrets } = convert(product, source(secret));
        assert.ok(!yaml.includes(secret) && !report.includes(secret));
        assert.ok(secrets.formatFile().includes(secret.replaceAll("'", "'\\''")));
      }),
      { numRuns: 100 },
    );
});

test('a wrong type anywhere is converted or named with its place, and never shown', () => {
  for (const [product, source] of Object.entries(SOURCES))
    for (const path of pathsOf(source('a-secret-value')))
      for (const wrong of [
        'wrong-value',
        7,
        -1,
        true,
        null,
        [],
        ['wrong-value'],
        [[1]],
        {},
        { wrong: { deep: [1] } },
      ]) {
        const changed = withValueAt(source('a-secret-value'), path, wrong);
        try {
          convert(product, changed);
        } catch (error) {
          assert.ok(error instanceof ImportSourceError, `${path.join('.')}: ${error}`);
          assert.match(error.message, /^[\w.[\]"/*@ -]+: .+|^the file must/);
          assert.ok(!error.message.includes('wrong-value') && !error.message.includes('a-secret-value'));
        }
      }
});

type Path = readonly (string | number)[];

function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

function withValueAt(source: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(source))
    return source.map((inner, index) => (index === step ? withValueAt(inner, rest, value) : inner));
  const members = typeof source === 'object' && source !== null ? source : {};
  return Object.fromEntries(
    Object.entries(members).map(([key, inner]) => [
      key,
      key === step ? withValueAt(inner, rest, value) : inner,
    ]),
  );
}

function formatPath(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\w-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

test('a mistake in the YAML names the line and quotes nothing', () => {
  assert.throws(
    () => parseImportSource('a: 1\nb: "sk-secret\nc: [', 'x.yaml'),
    (error) =>
      error instanceof ImportSourceError &&
      /^x\.yaml:\d+: [a-z]/.test(error.message) &&
      !error.message.includes('sk-secret'),
  );
  assert.deepEqual(parseImportSource('a: yes\nb: &x {c: 1}\nd: {<<: *x}', 'x'), {
    a: true,
    b: { c: 1 },
    d: { c: 1 },
  });
});

test('routes of LiteLLM keep weights, order, fallbacks and aliases', () => {
  const { config } = convert('litellm', SOURCES['litellm']?.('a-secret-value'));
  const routes = new Map(config.orgs[0].routes.map((route: { model: string }) => [route.model, route]));
  assert.deepEqual(routes.get('fast'), {
    model: 'fast',
    strategy: 'weighted',
    targets: ['azure/gpt-4o', 'bedrock/anthropic.claude', { model: 'vertex_ai/gemini-2.5-pro', weight: 0 }],
    retries: 3,
    timeouts: { headers_ms: 5000, idle_ms: 5000, first_token_ms: 2000 },
  });
  assert.ok(routes.has('smart') && routes.has('hid'));
});

test('text that contains a reference to a variable is imported as text', () => {
  const source = {
    model_list: [{ model_name: `a-\${HOME}`, litellm_params: { model: 'openai/gpt-4o', api_key: 'sk-1' } }],
  };
  const { yaml } = convert('litellm', source);
  assert.ok(yaml.includes(`a-$\${HOME}`), yaml);
});

/** The route and the lines of the report that match a pattern. */
function summarize(product: string, source: unknown, pattern: RegExp) {
  const { config, report } = convert(product, source);
  const lines = report.lines().filter(({ field }) => pattern.test(field));
  return {
    routes: config.orgs[0].routes,
    outcomes: Object.fromEntries(lines.map(({ field, outcome }) => [field, outcome])),
  };
}

test('nested targets of Portkey keep their share of the traffic, and fallbacks get none', () => {
  const leaf = (model: string, weight?: number) => ({
    provider: 'openai',
    override_params: { model },
    ...(weight !== undefined && { weight }),
  });
  const nested = (mode: string, targets: readonly object[], weight?: number) => ({
    strategy: { mode },
    targets,
    ...(weight !== undefined && { weight }),
  });
  const weightsOf = (config: object) => {
    const [route] = summarize('portkey', { prod: config }, /./).routes;
    return [route.strategy, ...route.targets];
  };
  assert.deepEqual(
    weightsOf(nested('loadbalance', [leaf('a', 0.7), nested('fallback', [leaf('b'), leaf('c')], 0.3)])),
    [
      'weighted',
      { model: 'openai/a', weight: 0.7 },
      { model: 'openai/b', weight: 0.3 },
      { model: 'openai/c', weight: 0 },
    ],
  );
  assert.deepEqual(
    weightsOf(nested('fallback', [nested('loadbalance', [leaf('a', 3), leaf('b', 1)]), leaf('c')])),
    [
      'weighted',
      { model: 'openai/a', weight: 0.75 },
      { model: 'openai/b', weight: 0.25 },
      { model: 'openai/c', weight: 0 },
    ],
  );
  assert.deepEqual(weightsOf(nested('fallback', [leaf('a'), leaf('b')])), [
    undefined,
    'openai/a',
    'openai/b',
  ]);
});

test('a reference of Bifrost to a missing object, and a limit of 0, are reported as not imported', () => {
  const governance = {
    budgets: [{ id: 'zero', max_limit: 0, reset_duration: '1M' }],
    virtual_keys: [
      { id: 'a', name: 'a', value: 'sk-bf-a', team_id: 'no', budget_id: 'no', rate_limit_id: 'no' },
      { id: 'b', name: 'b', value: 'sk-bf-b', budget_id: 'zero' },
    ],
  };
  const { outcomes } = summarize('bifrost', { governance }, /\.(team_id|budget_id|rate_limit_id|max_limit)$/);
  assert.deepEqual(outcomes, {
    'governance.virtual_keys[0].team_id': 'not_imported',
    'governance.virtual_keys[0].budget_id': 'not_imported',
    'governance.virtual_keys[0].rate_limit_id': 'not_imported',
    'governance.virtual_keys[1].budget_id': 'imported',
    'governance.budgets[0].max_limit': 'not_imported',
  });
});

test('the report on LiteLLM does not call settings imported that have no effect', () => {
  const entry = (model_name: string, model: string, more: object = {}) => ({
    model_name,
    litellm_params: { model, ...more },
  });
  const source = {
    model_list: [
      entry('a', 'openai/a', { weight: 2 }),
      entry('a', 'openai/b', { weight: 1 }),
      entry('lost', 'replicate/x'),
      entry('openai/*', 'openai/*'),
    ],
    router_settings: {
      routing_strategy: 'usage-based-routing',
      num_retries: 3,
      fallbacks: [{ a: ['lost', 'nothing'] }, { 'openai/*': ['a'] }],
    },
    litellm_settings: { num_retries: 2, default_fallbacks: ['a'] },
  };
  const { outcomes } = summarize(
    'litellm',
    source,
    /weight$|retries$|\.a$|\*"\]$|default_fallbacks|model_list\[2\]\.model_name/,
  );
  assert.deepEqual(outcomes, {
    'model_list[0].litellm_params.weight': 'not_imported',
    'model_list[1].litellm_params.weight': 'not_imported',
    'model_list[2].model_name': 'not_imported',
    'router_settings.fallbacks[0].a': 'changed',
    'router_settings.fallbacks[1]["openai/*"]': 'not_imported',
    'router_settings.num_retries': 'changed',
    'litellm_settings.num_retries': 'not_imported',
    'litellm_settings.default_fallbacks': 'imported',
  });
});

test('a Portkey cache without a mode is reported as the cache of the organization', () => {
  const { report } = convert('portkey', { prod: { provider: 'openai', cache: { max_age: 60 } } });
  const line = report.lines().find(({ note }) => note.includes('cache settings of the organization'));
  assert.match(line?.field ?? '', /cache$/);
});

test('a budget of the LiteLLM database keeps an amount of 0, and is reported if its period is not imported', () => {
  const pattern = /^os\.environ\/(.+)$/;
  const key = {
    token: 'a'.repeat(64),
    key_alias: 'ci',
    soft_budget: 0,
    model_max_budget: {
      none: { budget_limit: 0, time_period: '1d' },
      yearly: { budget_limit: 5, time_period: '1y' },
      monthly: { budget_limit: 5, time_period: '30d' },
      free: 0,
    },
  };
  const { draft, report } = runImport({}, pattern, (root, one) =>
    convertLitellm(root, one, { LiteLLM_VerificationToken: [key] }),
  );
  const { budgets } = JSON.parse(JSON.stringify(draft.toConfig('default'))).orgs[0];
  assert.deepEqual(
    budgets.map((one: Record<string, unknown>) => [one['model'], one['period'], one['limit_usd']]),
    [
      ['none', 'day', 0.000001],
      ['monthly', 'month', 5],
      ['free', 'total', 0.000001],
    ],
  );
  const lines = report.lines().filter(({ field }) => /budget/.test(field) && /Token\[0\]/.test(field));
  const outcomes = Object.fromEntries(
    lines.map(({ field, outcome }) => [field.replace(/^.*\[0\]\./, ''), outcome]),
  );
  assert.deepEqual(outcomes, {
    soft_budget: 'not_imported',
    'model_max_budget.none.budget_limit': 'changed',
    'model_max_budget.none.time_period': 'changed',
    'model_max_budget.yearly.budget_limit': 'not_imported',
    'model_max_budget.yearly.time_period': 'not_imported',
    'model_max_budget.monthly.budget_limit': 'imported',
    'model_max_budget.monthly.time_period': 'changed',
    'model_max_budget.free': 'changed',
  });
});

test('a budget of 0 in litellm_settings is reported as not imported', () => {
  const settings = { max_budget: 0, max_end_user_budget: 0 };
  const general = { global_max_parallel_requests: 0 };
  const source = { litellm_settings: settings, general_settings: general };
  const { report } = convert('litellm', source);
  assert.deepEqual(
    report.lines().map(({ field, outcome }) => [field, outcome]),
    [
      ['litellm_settings.max_budget', 'not_imported'],
      ['litellm_settings.max_end_user_budget', 'not_imported'],
      ['general_settings.global_max_parallel_requests', 'not_imported'],
    ],
  );
});

test('a Bifrost key with other cloud settings than the first one is not imported', () => {
  const azure = (endpoint: string, deployment: string) => ({
    endpoint,
    deployments: { 'gpt-4o': deployment },
  });
  const bedrock = (region: string, secret_key: string) => ({ access_key: 'AKIA', secret_key, region });
  const providers = {
    azure: {
      keys: [
        { name: 'eu', value: 'sk-eu', azure_key_config: azure('https://eu.openai.azure.com', 'eu-4o') },
        { name: 'eu2', value: 'sk-eu2', azure_key_config: azure('https://eu.openai.azure.com', 'other') },
        { name: 'us', value: 'sk-us', azure_key_config: azure('https://us.openai.azure.com', 'us-4o') },
      ],
    },
    bedrock: {
      keys: [
        { name: 'a', bedrock_key_config: bedrock('eu-west-1', 'one') },
        { name: 'b', models: ['claude'], bedrock_key_config: bedrock('us-east-1', 'two') },
      ],
    },
  };
  const { config, report, secrets } = convert('bifrost', { providers });
  const [first, second] = config.orgs[0].providers;
  assert.equal(first.base_url, 'https://eu.openai.azure.com');
  assert.deepEqual(
    first.credentials.map(({ name }: { name: string }) => name),
    ['eu', 'eu2-2'],
  );
  assert.deepEqual(first.deployments, { 'gpt-4o': 'eu-4o' });
  assert.equal(second.region, 'eu-west-1');
  assert.deepEqual(second.models, ['*']);
  const file = secrets.formatFile();
  assert.ok(file.includes('sk-eu2') && !file.includes('sk-us') && !file.includes('two'));
  const dropped = report.lines().filter(({ outcome }) => outcome === 'not_imported');
  assert.deepEqual(
    dropped.map(({ field }) => field),
    [
      'providers.azure.keys[2].name',
      'providers.azure.keys[2].value',
      'providers.azure.keys[2].azure_key_config',
      'providers.azure.keys[1].azure_key_config.deployments.gpt-4o',
      'providers.bedrock.keys[1].name',
      'providers.bedrock.keys[1].models',
      'providers.bedrock.keys[1].bedrock_key_config',
    ],
  );
});

test('a Bifrost team without an id is reported as not imported', () => {
  const { report } = convert('bifrost', { governance: { teams: [{ name: 'Search' }] } });
  assert.deepEqual(
    report.lines().map(({ field, outcome }) => [field, outcome]),
    [['governance.teams[0].name', 'not_imported']],
  );
});

test('the keys of a Bifrost provider that Floe does not have are left out for this reason only', () => {
  const cloud = (region: string) => ({ name: region, value: `sk-${region}`, bedrock_key_config: { region } });
  const providers = { unknown: { keys: [cloud('one'), cloud('two')] } };
  const { report } = convert('bifrost', { providers });
  const reasons = new Set(report.lines().map(({ note }) => note));
  assert.deepEqual([...reasons], ['Floe has no provider of this kind']);
});

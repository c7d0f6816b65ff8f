import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import { readProviderBaseUrl } from './base-url.ts';
import { type ConfigDraft, type ConfigEntryFields, toSlug } from './config-draft.ts';
import type { ImportSourceObject } from './import-source-object.ts';
import {
  findKnownProvider,
  guessProviderFromSlug,
  isBaseUrlRequired,
  type KnownProvider,
  resolveProviderKindForUrl,
} from './known-providers.ts';

const MAX_RETRIES = 10;

/** Settings that a Portkey config passes on to its nested targets. */
interface Inherited {
  readonly provider: string | undefined;
  readonly virtualKey: string | undefined;
  readonly model: string | undefined;
}

interface RouteTarget {
  readonly model: string;
  /** Share of the traffic. 0 if the target is used only after a failure. */
  readonly weight: number;
}

/**
 * Converts Portkey configs: a single config, an object with configs by name, or a list of `{name, config}` as
 * the API of Portkey returns it. Each config becomes a route with the name of the config.
 */
export function convertPortkey(root: ImportSourceObject, draft: ConfigDraft): void {
  const listed = ['data', 'configs'].find((name) => Array.isArray(root.raw(name)));
  if (listed !== undefined) {
    for (const entry of root.objects(listed)) addListed(entry, draft);
    root.finish();
  } else if (root.has('targets') || root.has('provider') || root.has('virtual_key')) {
    addConfig(root, 'default', draft);
  } else {
    for (const name of root.names()) {
      const config = root.object(name);
      if (config) addConfig(config, name, draft);
    }
    root.finish();
  }
}

function addListed(entry: ImportSourceObject, draft: ConfigDraft): void {
  const name = entry.text('slug') ?? entry.text('name') ?? entry.text('id');
  const config = entry.object('config');
  if (!config && !entry.has('config')) entry.problem('config', 'is required');
  if (name === undefined) entry.problem('name', 'is required');
  else if (config) addConfig(config, name, draft);
  entry.leaveOutRest('the field applies only to the Portkey account');
  entry.finish();
}

function addConfig(config: ImportSourceObject, name: string, draft: ConfigDraft): void {
  const none = { provider: undefined, virtualKey: undefined, model: undefined };
  const targets = readTargets(config, none, draft);
  // Without a strategy, all traffic goes to the first target.
  const isWeighted = targets.slice(1).some(({ weight }) => weight > 0);
  const retries = readRetries(config);
  const timeout = config.number('request_timeout');
  if (timeout !== undefined && timeout >= 1)
    config.note('request_timeout', 'changed', 'became timeouts.headers_ms');
  readCache(config, draft);
  finishConfig(config);
  if (targets.length === 0) return;
  draft.routes.set(escapeVariableReferences(name), {
    ...(isWeighted && { strategy: 'weighted' }),
    targets: targets.map(({ model, weight }) => (isWeighted && weight !== 1 ? { model, weight } : model)),
    ...(retries !== undefined && { retries }),
    ...(timeout !== undefined && timeout >= 1 && { timeouts: { headers_ms: Math.round(timeout) } }),
  });
}

function readRetries(config: ImportSourceObject): number | undefined {
  const retry = config.object('retry');
  const attempts = retry?.number('attempts');
  retry?.leaveOut({
    on_status_codes: 'Floe has no setting for which types of errors it retries',
    use_retry_after_header:
      'Floe waits as long as the provider requests; if the wait is longer than 10 seconds, Floe does not retry',
  });
  retry?.finish();
  return attempts === undefined ? undefined : Math.min(MAX_RETRIES, Math.floor(attempts));
}

function readCache(config: ImportSourceObject, draft: ConfigDraft): void {
  const cache = config.object('cache');
  if (!cache) return;
  const mode = cache.text('mode');
  const ttl = cache.number('max_age');
  const ttlSeconds = ttl !== undefined && ttl >= 1 ? { ttl_seconds: Math.floor(ttl) } : {};
  draft.settings['cache'] = { enabled: true, scope: 'org', ...ttlSeconds };
  const [place, field] = mode === undefined ? ([config, 'cache'] as const) : ([cache, 'mode'] as const);
  place.note(
    field,
    'changed',
    mode === 'simple' || mode === undefined
      ? 'became the cache settings of the organization'
      : 'Floe has no semantic cache; it returns cached responses only for identical requests',
  );
  cache.finish();
}

function finishConfig(config: ImportSourceObject): void {
  const guard = 'write policies in floe.yaml';
  config.leaveOut({
    before_request_hooks: guard,
    after_request_hooks: guard,
    input_guardrails: guard,
    output_guardrails: guard,
    default_input_guardrails: guard,
    default_output_guardrails: guard,
    metadata: 'send metadata with each request',
    forward_headers: 'set headers on the provider',
    strict_open_ai_compliance: 'set chat_reasoning in floe.yaml',
  });
  config.finish();
}

function readTargets(
  config: ImportSourceObject,
  outer: Inherited,
  draft: ConfigDraft,
): readonly RouteTarget[] {
  const isBalanced = readIsBalanced(config);
  const parameters = config.object('override_params');
  const inherited: Inherited = {
    provider: config.text('provider') ?? outer.provider,
    virtualKey: config.secretName('virtual_key') ?? outer.virtualKey,
    model: parameters?.text('model') ?? outer.model,
  };
  parameters?.leaveOutRest(
    'send this parameter with each request, or set it in the body field of the provider',
  );
  parameters?.finish();
  if (!config.has('targets')) return readLeaf(config, inherited, draft);
  let isFirst = true;
  return config.objects('targets').flatMap((target) => {
    const weight = target.number('weight') ?? 1;
    const inner = readTargets(target, inherited, draft);
    if (target.has('targets'))
      target.note(
        'targets',
        'changed',
        'nested targets were merged into one list; each target keeps its share of the traffic',
      );
    target.leaveOut({
      retry: 'set retries in the route',
      cache: 'set cache in the route',
    });
    finishConfig(target);
    const share = isBalanced ? weight : isFirst ? 1 : 0;
    if (inner.length > 0) isFirst = false;
    return divideShare(share, inner);
  });
}

/** Divides a share of the traffic among targets in proportion to their weights. */
function divideShare(share: number, targets: readonly RouteTarget[]): readonly RouteTarget[] {
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  return targets.map(({ model, weight }) => ({
    model,
    weight: sum === 0 ? 0 : Number(((share * weight) / sum).toFixed(6)),
  }));
}

/** Whether the strategy divides the traffic among the targets. All others try the targets in order. */
function readIsBalanced(config: ImportSourceObject): boolean {
  const strategy = config.object('strategy');
  const mode = strategy?.text('mode');
  if (mode === 'conditional')
    strategy?.note(
      'mode',
      'not_imported',
      'Floe does not support conditional routing; the targets are tried in order',
    );
  strategy?.leaveOut({
    on_status_codes: 'the type of an error determines whether Floe tries the next target',
    conditions: 'Floe does not support conditional routing',
    default: 'Floe does not support conditional routing',
  });
  strategy?.finish();
  return mode === 'loadbalance';
}

/** Converts a target without nested targets: a provider, and a model unless the request names it. */
function readLeaf(
  config: ImportSourceObject,
  inherited: Inherited,
  draft: ConfigDraft,
): readonly RouteTarget[] {
  const { virtualKey, model } = inherited;
  // `@slug/model` names a Portkey integration and a model.
  const [, integration, bare] = /^@([^/]+)\/(.+)$/.exec(model ?? '') ?? [];
  const slug = (inherited.provider ?? '').replace(/^@/, '');
  const name = slug !== '' ? slug : (integration ?? virtualKey ?? '');
  const provider = findKnownProvider(name) ?? findKnownProvider(guessProviderFromSlug(name));
  const field = config.has('provider')
    ? 'provider'
    : config.has('virtual_key')
      ? 'virtual_key'
      : 'override_params';
  if (!provider) {
    config.note(field, 'not_imported', 'Floe has no provider of this kind');
    return [];
  }
  const fields = readProviderFields(config, provider, virtualKey ?? integration);
  if (!fields) {
    config.note(field, 'not_imported', 'this kind of provider requires a valid URL in custom_host');
    return [];
  }
  const draftProvider = draft.provider(toSlug(name, 'provider'), fields);
  const id = bare ?? model;
  if (id === undefined || /\s/.test(id)) {
    draftProvider.models.add('*');
    config.note(field, 'changed', `the target has no model; call <model> as ${draftProvider.id}/<model>`);
    return [];
  }
  draftProvider.models.add(escapeVariableReferences(id));
  return [{ model: `${draftProvider.id}/${escapeVariableReferences(id)}`, weight: 1 }];
}

function readProviderFields(
  config: ImportSourceObject,
  provider: KnownProvider,
  integration: string | undefined,
): ConfigEntryFields | null {
  const url = config.has('custom_host')
    ? readProviderBaseUrl(config, 'custom_host', provider)
    : provider.baseUrl;
  const resource = config.text('azure_resource_name');
  const base =
    url ?? (resource && /^[\w-]+$/.test(resource) ? `https://${resource}.openai.azure.com` : undefined);
  if (isBaseUrlRequired(provider.kind) && base === undefined) return null;
  const variable =
    integration === undefined
      ? provider.variable
      : `${integration.replaceAll(/\W+/g, '_').toUpperCase()}_API_KEY`;
  const { secrets } = config.context;
  const fallback =
    variable && /^[A-Z_]/i.test(variable) ? secrets.refer(variable, config.fieldPath('api_key')) : null;
  const key = config.secret('api_key') ?? fallback ?? undefined;
  const version = config.yamlText('azure_api_version');
  const region = config.yamlText('aws_region') ?? config.yamlText('vertex_region');
  const project = config.yamlText('vertex_project_id');
  const access = config.secret('aws_access_key_id');
  const secret = config.secret('aws_secret_access_key');
  const identity = access && secret ? { access_key_id: access, secret_access_key: secret } : undefined;
  const all = {
    kind: resolveProviderKindForUrl(provider.kind, base),
    base_url: base,
    api_key: key,
    api_version: version,
    region,
    project,
    identity,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

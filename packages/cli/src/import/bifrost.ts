import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import { readProviderBaseUrl } from './base-url.ts';
import { addBifrostGovernance } from './bifrost-governance.ts';
import { type ConfigDraft, type ConfigEntryFields, toSlug } from './config-draft.ts';
import { type ImportSourceObject, isPlainObject } from './import-source-object.ts';
import {
  findKnownProvider,
  isBaseUrlRequired,
  type KnownProvider,
  resolveProviderKindForUrl,
} from './known-providers.ts';

const SECTION_REASONS: Readonly<Record<string, string>> = {
  client: 'the setting applies only to Bifrost itself',
  config_store: 'set storage.database in floe.yaml',
  logs_store: 'set storage.database in floe.yaml',
  vector_store: 'Floe has no semantic cache; it returns cached responses only for identical requests',
  mcp: 'Floe is not an MCP gateway; the relay controls which tools agents use',
  plugins: 'Floe has no plugins; set policies and cache in floe.yaml',
  auth_config: 'to create an owner, run "floe owner-link"',
  encryption_key: 'Floe encrypts stored secrets with its own key',
  $schema: 'the field only identifies the JSON schema of the Bifrost file',
};

/** Settings of a key that belong to a provider in Floe. */
const CLOUD_SETTINGS = ['azure_key_config', 'vertex_key_config', 'bedrock_key_config'] as const;

/**
 * Converts a Bifrost configuration. Clients do not need to change model names, because both products use the
 * form `<provider>/<model>`.
 */
export function convertBifrost(root: ImportSourceObject, draft: ConfigDraft): void {
  const providers = root.object('providers');
  for (const name of providers?.names() ?? []) {
    const provider = providers?.object(name);
    if (provider) addProvider(provider, name, draft);
  }
  providers?.finish();
  const governance = root.object('governance');
  if (governance)
    addBifrostGovernance(governance, draft, (value) => createHash('sha256').update(value).digest('hex'));
  root.leaveOut(SECTION_REASONS);
  root.finish();
}

function addProvider(source: ImportSourceObject, name: string, draft: ConfigDraft): void {
  const custom = source.object('custom_provider_config');
  const base = custom?.text('base_provider_type') ?? name;
  const provider = findKnownProvider(base);
  const network = source.object('network_config');
  const keys = provider ? readUsableKeys(source) : source.objects('keys');
  const fields = provider ? readFields(keys, network, provider) : null;
  if (!fields) {
    const reason = provider
      ? 'this kind of provider requires a valid base URL'
      : 'Floe has no provider of this kind';
    custom?.leaveOutRest(reason);
    network?.leaveOutRest(reason);
    for (const key of keys) key.leaveOutRest(reason);
    source.note('keys', 'not_imported', reason);
  }
  if (fields) addFields(keys, name, { fields, draft, network });
  custom?.leaveOutRest('the kind of a provider determines which requests Floe supports');
  custom?.finish();
  network?.leaveOut({
    retry_backoff_initial: 'Floe has no setting for the delay between retries',
    retry_backoff_max: 'Floe has no setting for the delay between retries',
  });
  network?.finish();
  source.leaveOut({
    concurrency_and_buffer_size: 'set concurrency in a limit',
    proxy_config: 'set outbound on the provider',
    send_back_raw_response:
      'Floe forwards responses unchanged if the client and the provider use the same API format',
  });
  source.finish();
}

/**
 * Reads the keys of a provider. Bifrost sends the value of a key only to the endpoint in the key's cloud settings. A
 * provider in Floe has one such endpoint, so keys whose settings differ from the first are not imported.
 */
function readUsableKeys(source: ImportSourceObject): readonly ImportSourceObject[] {
  const keys = source.objects('keys').map((key) => ({ key, settings: readCloudSettings(key) }));
  const first = keys.find(({ settings }) => settings.length > 0)?.settings;
  return keys.flatMap(({ key, settings }) => {
    if (settings.length === 0 || isDeepStrictEqual(settings, first)) return [key];
    key.leaveOutAll(
      'the Azure, Vertex AI or Bedrock settings differ from those of another key; add a provider for this key to floe.yaml',
    );
    return [];
  });
}

/** The cloud settings of a key, without the deployments, which only name models. Only for comparison. */
function readCloudSettings(key: ImportSourceObject): readonly unknown[] {
  return CLOUD_SETTINGS.flatMap((field) => {
    const value = key.raw(field);
    if (!isPlainObject(value)) return [];
    const { deployments: _, ...settings } = value;
    return Object.keys(settings).length === 0 ? [] : [[field, settings]];
  });
}

interface NewProvider {
  readonly fields: ConfigEntryFields;
  readonly draft: ConfigDraft;
  readonly network: ImportSourceObject | undefined;
}

function addFields(
  keys: readonly ImportSourceObject[],
  name: string,
  { fields, draft, network }: NewProvider,
): void {
  const found = draft.provider(name, fields);
  const models = new Set<string>();
  for (const key of keys) {
    const listed = key.texts('models').map(escapeVariableReferences);
    for (const model of listed.length > 0 ? listed : ['*']) models.add(model);
    if (listed.length > 0)
      key.note('models', 'changed', 'became the models of the provider, which apply to all its credentials');
    readDeployments(key, found.deployments);
    key.finish();
  }
  for (const model of models.has('*') || models.size === 0 ? ['*'] : models) found.models.add(model);
  const retries = network?.number('max_retries');
  if (retries === undefined) return;
  network?.note(
    'max_retries',
    'changed',
    'became the retries (at most 10) of a route that covers all models of the provider',
  );
  draft.routes.set(`${found.id}/*`, { retries: Math.min(10, Math.floor(retries)) });
}

function readFields(
  keys: readonly ImportSourceObject[],
  network: ImportSourceObject | undefined,
  provider: KnownProvider,
): ConfigEntryFields | null {
  const cloud = keys.map((key) => readCloud(key, provider)).find((one) => Object.keys(one).length > 0) ?? {};
  const own = network?.has('base_url')
    ? readProviderBaseUrl(network, 'base_url', provider)
    : provider.baseUrl;
  const url = own ?? (typeof cloud['base_url'] === 'string' ? cloud['base_url'] : undefined);
  if (isBaseUrlRequired(provider.kind) && url === undefined) return null;
  const seconds = network?.number('default_request_timeout_in_seconds');
  if (seconds !== undefined && seconds > 0)
    network?.note('default_request_timeout_in_seconds', 'changed', 'became timeouts.headers_ms');
  return {
    kind: resolveProviderKindForUrl(provider.kind, url),
    ...cloud,
    ...(url !== undefined && { base_url: url }),
    ...readCredentials(keys),
    ...readHeaders(network),
    ...(seconds !== undefined && seconds > 0 && { timeouts: { headers_ms: Math.ceil(seconds * 1000) } }),
  };
}

function readCredentials(keys: readonly ImportSourceObject[]): ConfigEntryFields {
  const credentials = keys.flatMap((key, index) => {
    const api_key = key.secret('value');
    const weight = key.number('weight') ?? 1;
    const name = toSlug(key.text('name') ?? key.text('id') ?? '', 'key');
    if (api_key === undefined) return [];
    if (weight === 0)
      key.note('weight', 'changed', 'became 0.001, because a Floe weight must be greater than 0');
    return [
      { name: index === 0 ? name : `${name}-${index + 1}`, api_key, weight: weight === 0 ? 0.001 : weight },
    ];
  });
  const [only] = credentials;
  if (credentials.length < 2) return only ? { api_key: only.api_key } : {};
  return { credentials };
}

function readHeaders(network: ImportSourceObject | undefined): ConfigEntryFields {
  const headers = network?.object('extra_headers');
  const entries = (headers?.names() ?? []).flatMap((name) => {
    const value = headers?.secret(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  headers?.finish();
  return entries.length > 0 ? { headers: Object.fromEntries(entries) } : {};
}

function readCloud(key: ImportSourceObject, provider: KnownProvider): ConfigEntryFields {
  const azure = key.object('azure_key_config');
  const vertex = key.object('vertex_key_config');
  const bedrock = key.object('bedrock_key_config');
  const fields = {
    base_url: azure && readProviderBaseUrl(azure, 'endpoint', provider),
    api_version: azure?.yamlText('api_version'),
    project: vertex?.yamlText('project_id'),
    region: vertex?.yamlText('region') ?? bedrock?.yamlText('region'),
    role_arn: bedrock?.yamlText('role_arn'),
    identity: readIdentity(bedrock),
  };
  vertex?.leaveOut({
    auth_credentials: 'store the JSON in a file and set identity.file to its path',
    project_number: 'Floe needs only the project id',
  });
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function readIdentity(bedrock: ImportSourceObject | undefined): ConfigEntryFields | undefined {
  const access = bedrock?.secret('access_key');
  const secret = bedrock?.secret('secret_key');
  const session = bedrock?.secret('session_token');
  if (access === undefined || secret === undefined) return undefined;
  return {
    access_key_id: access,
    secret_access_key: secret,
    ...(session !== undefined && { session_token: session }),
  };
}

function readDeployments(key: ImportSourceObject, deployments: Map<string, string>): void {
  for (const field of CLOUD_SETTINGS) {
    const config = key.object(field);
    const map = config?.object('deployments');
    for (const model of map?.names() ?? []) {
      const name = map?.text(model);
      if (name === undefined) continue;
      const [from, to] = [escapeVariableReferences(model), escapeVariableReferences(name)];
      const known = deployments.get(from) ?? to;
      deployments.set(from, known);
      if (known !== to)
        map?.note(model, 'not_imported', 'another key has a different deployment for this model');
    }
    map?.finish();
    config?.leaveOutSecrets();
  }
}

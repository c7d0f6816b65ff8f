import type { CredentialResource, ProviderResource } from '@floe/contract/api/providers';
import { credentialTestResult } from '@floe/contract/api/providers';
import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import { isJsonObject } from '@floe/contract/json';
import { createCredentialHint } from '../../platform/config/provider-secrets.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import { toResourceSource } from '../../platform/source-location.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { ProviderCredentialRow } from '../../store/config-entries.ts';
import { cloneJson, toConfigEntryMetadata } from '../entries/config-entry-row.ts';
import type { LoadedOrg } from '../loaded-org.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { type StoredProvider, toProviderConfigWithoutSecrets } from './stored-providers.ts';

/** Converts a stored provider to the API format. */
export function toProviderResource(
  found: StoredProvider,
  dependencies: ProviderDependencies,
  org: LoadedOrg,
): ProviderResource {
  const { row, credentials, secrets } = found;
  const config = toProviderConfigWithoutSecrets(row);
  const isFile = row.source === 'file';
  const running = isFile ? findRunningProvider(config, org) : resolveRunningProvider(config, dependencies);
  const declared = org.config?.providers.find(({ id }) => id === row.id);
  const headers = isFile ? (declared?.headers ?? {}) : secrets.headers;
  return {
    ...toProviderSettings(config),
    origin: running.provider?.origin ?? null,
    problem: running.problem,
    native_dialects: [...(running.provider?.dialects ?? [])],
    header_names: Object.keys(headers),
    identity: toPublicIdentity(parseStoredConfigEntry(row)['identity']),
    credentials:
      credentials.length > 0 && !isFile
        ? credentials.map(toCredentialResource)
        : toUnstoredCredentials(running.provider, isFile ? toConfigEntryMetadata(row) : ENVIRONMENT_METADATA),
    ...toConfigEntryMetadata(row),
  };
}

/** Converts a provider from the environment to the API format. */
export function toEnvironmentProviderResource(provider: Provider): ProviderResource {
  const { connectMs, headersMs, firstTokenMs, idleMs, totalMs } = provider.timeouts;
  return {
    ...toProviderSettings(ProviderSchema.parse({ id: provider.id, kind: provider.definition.kind })),
    origin: provider.origin,
    problem: null,
    native_dialects: [...provider.dialects],
    header_names: [],
    identity: null,
    credentials: toUnstoredCredentials(provider, ENVIRONMENT_METADATA),
    timeouts: {
      connect_ms: connectMs,
      headers_ms: headersMs,
      first_token_ms: firstTokenMs,
      idle_ms: idleMs,
      total_ms: totalMs,
    },
    ...ENVIRONMENT_METADATA,
  };
}

/** Converts a stored credential to the API format, without its secret. */
export function toCredentialResource(row: ProviderCredentialRow): CredentialResource {
  return {
    name: row.name,
    weight: row.weight,
    last4: row.last4 === '' ? null : row.last4,
    origin: row.origin,
    tested_at: row.tested_at === null ? null : new Date(row.tested_at).toISOString(),
    test: row.test_json === null ? null : credentialTestResult.parse(JSON.parse(row.test_json)),
    source: toResourceSource({ source: 'console', source_line: null }),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

const ENVIRONMENT_METADATA = {
  source: toResourceSource({ source: 'console', source_line: null }),
  created_at: null,
  updated_at: null,
  updated_by: null,
};

interface RunningProvider {
  readonly provider: Provider | undefined;
  readonly problem: string | null;
}

function findRunningProvider({ id, enabled }: ProviderConfig, org: LoadedOrg): RunningProvider {
  return { provider: org.catalog.providers.get(id), problem: enabled ? org.findProviderProblem(id) : null };
}

/**
 * Resolves a provider against the running configuration. The response to a change is built before the new
 * snapshot exists.
 */
function resolveRunningProvider(config: ProviderConfig, dependencies: ProviderDependencies): RunningProvider {
  if (!config.enabled) return { provider: undefined, problem: null };
  const result = dependencies.configure(config);
  return 'problem' in result
    ? { provider: undefined, problem: result.problem }
    : { provider: result.provider, problem: null };
}

/** Credentials that are defined in floe.yaml or in the environment. */
function toUnstoredCredentials(
  provider: Provider | undefined,
  shown: Pick<CredentialResource, 'source' | 'created_at' | 'updated_at' | 'updated_by'>,
): CredentialResource[] {
  const own = (provider?.credentials ?? []).filter(({ secret }) => secret !== '');
  return own.map(({ name, weight, secret }) => ({
    name,
    weight,
    last4: createCredentialHint(secret),
    origin: provider?.origin ?? null,
    tested_at: null,
    test: null,
    ...shown,
  }));
}

/** The settings that are neither secrets nor keys. Unset settings are null. */
function toProviderSettings({
  credentials: _,
  headers: __,
  identity: ___,
  body: given,
  ...config
}: ProviderConfig) {
  const body: ProviderResource['body'] = JSON.parse(JSON.stringify(given));
  const {
    base_url = null,
    dialects = null,
    outbound = null,
    client_cert = null,
    ...others
  } = cloneJson(config);
  const { api_version = null, region = null, project = null, role_arn = null, ...settings } = others;
  const addressed = { base_url, dialects, outbound, client_cert };
  return { ...settings, ...addressed, body, api_version, region, project, role_arn };
}

function toPublicIdentity(identity: unknown): ProviderResource['identity'] {
  if (!isJsonObject(identity)) return null;
  const text = (name: string) => {
    const value = identity[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    access_key_id: text('access_key_id'),
    profile: text('profile'),
    external_id: text('external_id'),
    file: text('file'),
    metadata: identity['metadata'] === true,
  };
}

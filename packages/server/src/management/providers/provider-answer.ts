import type { CredentialView, ProviderView } from '@floe/contract/api/providers';
import { credentialTest } from '@floe/contract/api/providers';
import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import { isObject } from '@floe/contract/json';
import { last4Of } from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { placeOf } from '../../platform/file-place.ts';
import type { Provider } from '../../providers/configured.ts';
import type { CredentialRow } from '../../store/config-entries.ts';
import { copied, shownOf } from '../entries/entry-row.ts';
import type { RunningOrg } from '../running-org.ts';
import { type FoundProvider, shownConfig } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';

/** A provider of the store as every answer shows it. */
export function providerView(found: FoundProvider, host: ProviderHost, org: RunningOrg): ProviderView {
  const { row, credentials, secrets } = found;
  const config = shownConfig(row);
  const isFile = row.source === 'file';
  const running = isFile ? fromFile(config, org) : tryOut(config, host);
  const declared = org.config?.providers.find(({ id }) => id === row.id);
  const headers = isFile ? (declared?.headers ?? {}) : secrets.headers;
  return {
    ...settingsView(config),
    origin: running.provider?.origin ?? null,
    problem: running.problem,
    speaks: [...(running.provider?.dialects ?? [])],
    header_names: Object.keys(headers),
    identity: identityView(parsed(row)['identity']),
    credentials:
      credentials.length > 0 && !isFile
        ? credentials.map(credentialView)
        : lentCredentials(running.provider, isFile ? shownOf(row) : LENT),
    ...shownOf(row),
  };
}

/** A provider that the environment of the process gave. */
export function lentView(provider: Provider): ProviderView {
  const { connectMs, headersMs, firstTokenMs, idleMs, totalMs } = provider.timeouts;
  return {
    ...settingsView(ProviderSchema.parse({ id: provider.id, kind: provider.sheet.kind })),
    origin: provider.origin,
    problem: null,
    speaks: [...provider.dialects],
    header_names: [],
    identity: null,
    credentials: lentCredentials(provider, LENT),
    timeouts: {
      connect_ms: connectMs,
      headers_ms: headersMs,
      first_token_ms: firstTokenMs,
      idle_ms: idleMs,
      total_ms: totalMs,
    },
    ...LENT,
  };
}

export function credentialView(row: CredentialRow): CredentialView {
  return {
    name: row.name,
    weight: row.weight,
    last4: row.last4 === '' ? null : row.last4,
    origin: row.origin,
    tested_at: row.tested_at === null ? null : new Date(row.tested_at).toISOString(),
    test: row.test_json === null ? null : credentialTest.parse(JSON.parse(row.test_json)),
    source: placeOf({ source: 'console', source_line: null }),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

const LENT = {
  source: placeOf({ source: 'console', source_line: null }),
  created_at: null,
  updated_at: null,
  updated_by: null,
};

interface Running {
  readonly provider: Provider | undefined;
  readonly problem: string | null;
}

function fromFile({ id, enabled }: ProviderConfig, org: RunningOrg): Running {
  return { provider: org.catalog.providers.get(id), problem: enabled ? org.problemOf(id) : null };
}

/** As it would run with what is in force: the answer to a change comes before the snapshot that holds it. */
function tryOut(config: ProviderConfig, host: ProviderHost): Running {
  if (!config.enabled) return { provider: undefined, problem: null };
  const done = host.configure(config);
  return 'problem' in done
    ? { provider: undefined, problem: done.problem }
    : { provider: done.provider, problem: null };
}

/** Keys that stand in floe.yaml or in the environment. */
function lentCredentials(
  provider: Provider | undefined,
  shown: Pick<CredentialView, 'source' | 'created_at' | 'updated_at' | 'updated_by'>,
): CredentialView[] {
  const own = (provider?.credentials ?? []).filter(({ secret }) => secret !== '');
  return own.map(({ name, weight, secret }) => ({
    name,
    weight,
    last4: last4Of(secret),
    origin: provider?.origin ?? null,
    tested_at: null,
    test: null,
    ...shown,
  }));
}

/** What of a provider is neither secret nor a key, null where it says nothing. */
function settingsView({
  credentials: _,
  headers: __,
  identity: ___,
  body: given,
  ...config
}: ProviderConfig) {
  const body: ProviderView['body'] = JSON.parse(JSON.stringify(given));
  const { base_url = null, dialects = null, outbound = null, client_cert = null, ...others } = copied(config);
  const { api_version = null, region = null, project = null, role_arn = null, ...settings } = others;
  const addressed = { base_url, dialects, outbound, client_cert };
  return { ...settings, ...addressed, body, api_version, region, project, role_arn };
}

function identityView(identity: unknown): ProviderView['identity'] {
  if (!isObject(identity)) return null;
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

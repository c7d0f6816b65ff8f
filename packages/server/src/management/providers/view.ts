import type { CredentialView, ProviderView } from '@floe/contract/api/providers';
import { credentialTest } from '@floe/contract/api/providers';
import type { ProviderConfig } from '@floe/contract/config';
import { isObject } from '@floe/contract/json';
import { last4Of } from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { placeOf } from '../../platform/file-place.ts';
import type { Provider } from '../../providers/configured.ts';
import type { CredentialRow } from '../../store/config-entries.ts';
import { shownOf } from '../entries/entry-row.ts';
import { asJson } from '../input.ts';
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
export function lentView(provider: Provider, config: ProviderConfig): ProviderView {
  const { connectMs, headersMs, firstTokenMs, idleMs, totalMs } = provider.timeouts;
  return {
    ...settingsView(config),
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

function settingsView(config: ProviderConfig) {
  return {
    id: config.id,
    kind: config.kind,
    enabled: config.enabled,
    base_url: config.base_url ?? null,
    credential_source: config.credential_source,
    models: [...config.models],
    dialects: config.dialects ? [...config.dialects] : null,
    body: copied(config.body),
    api_version: config.api_version ?? null,
    deployments: { ...config.deployments },
    region: config.region ?? null,
    project: config.project ?? null,
    role_arn: config.role_arn ?? null,
    outbound: config.outbound ? { ...config.outbound } : null,
    client_cert: config.client_cert ? { ...config.client_cert } : null,
    billing: config.billing,
    price_multiplier: config.price_multiplier,
    prices: Object.fromEntries(
      Object.entries(config.prices).map(([model, price]) => [model, shownPrice(price)]),
    ),
    timeouts: { ...config.timeouts },
    breaker: { ...config.breaker },
  };
}

function copied(body: ProviderConfig['body']): ProviderView['body'] {
  const json = asJson(structuredClone(body));
  return isObject(json)
    ? Object.fromEntries(Object.entries(json).map(([name, value]) => [name, mutable(value)]))
    : {};
}

/** The schema of answers is one of values that may change. */
function mutable(value: unknown): ProviderView['body'][string] {
  return JSON.parse(JSON.stringify(value ?? null));
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

/** The schema of answers is one of values that may change. */
function shownPrice({
  units,
  tiers,
  ...price
}: ProviderConfig['prices'][string]): ProviderView['prices'][string] {
  return { ...price, ...(units && { units: { ...units } }), ...(tiers && { tiers: { ...tiers } }) };
}

import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import {
  getProviderOrigin,
  hasProviderSecrets,
  joinProviderSecrets,
  joinProxyUrl,
  splitProxyUrl,
} from '../../platform/config/provider-secrets.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import {
  mergePatchFields,
  parseConfigEntry,
  READ_ONLY_CONFIG_ENTRY_FIELDS,
} from '../entries/parse-config-entry.ts';
import { requireResendOfUnreadableSecrets } from '../readable-secret.ts';
import { castToJson, createInvalidInputFault } from '../validate-input.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { type StoredProvider, toProviderConfigWithoutSecrets } from './stored-providers.ts';

type ProviderFields = Readonly<Record<string, unknown>>;

/** The state of a provider after a requested change, before the change is stored. */
export interface ProviderDraft {
  /** The configuration of the provider. Keys that do not change are empty. */
  readonly config: ProviderConfig;
  /** Keys that this request sets, by credential name. */
  readonly keys: ReadonlyMap<string, string>;
  /** Whether this request sets other secrets than keys, or removes them. */
  readonly setsOtherSecrets: boolean;
}

const NON_CONFIG_FIELDS = new Set([
  ...[...READ_ONLY_CONFIG_ENTRY_FIELDS].filter((name) => name !== 'id'),
  'origin',
  'problem',
  'native_dialects',
  'header_names',
  'test_model',
  'credentials',
  'api_key',
  'headers',
  'identity',
  'outbound',
]);
/** Replaces a stored key during validation. */
const STORED_KEY_PLACEHOLDER = '(stored)';

/**
 * Merges the `fields` of a request over `base` and validates the result. Keys and secrets that are
 * absent keep the stored values in `before`. If the provider moves to another origin, the request
 * must contain them again.
 *
 * @param base the settings before the merge: the stored ones, or the defaults for a new provider
 * @throws Fault `invalid_request` with `param` and the message that floe.yaml would cause
 */
export function buildProviderDraft(
  dependencies: Pick<ProviderDependencies, 'allowsMachineResources'>,
  fields: ProviderFields,
  base: JsonObject,
  before: StoredProvider | null,
): ProviderDraft {
  const credentials = listCredentials(fields, before);
  const merged = mergePatchFields(base, fields, NON_CONFIG_FIELDS);
  const headers =
    fields['headers'] === undefined ? (before?.secrets.headers ?? {}) : (fields['headers'] ?? {});
  const identity = mergeIdentity(fields['identity'], base['identity'], before);
  const outbound = mergeOutbound(fields['outbound'], base['outbound'], before);
  const entry = castToJson({
    ...merged,
    headers,
    ...(outbound !== undefined && { outbound }),
    ...(identity !== undefined && { identity }),
    ...(credentials.length > 0 && {
      credentials: credentials.map(({ name, api_key, weight }) => ({
        name,
        weight,
        api_key: api_key ?? STORED_KEY_PLACEHOLDER,
      })),
    }),
    ...(fields['api_key'] != null && fields['credentials'] != null && { api_key: fields['api_key'] }),
  });
  const config = parseConfigEntry({
    section: 'providers',
    schema: ProviderSchema,
    entry: isJsonObject(entry) ? entry : {},
  });
  requireKeysForOrigin(config, credentials, before);
  if (before) requireSecretsForOrigin(config, fields, before);
  if (before?.hasUnreadableSecrets) requireUnreadableSecrets(config, fields, before);
  if (!dependencies.allowsMachineResources()) rejectMachineResources(config);
  const keys = new Map(
    credentials.flatMap(({ name, api_key }) => (api_key === undefined ? [] : [[name, api_key] as const])),
  );
  return { config, keys, setsOtherSecrets: hasOtherSecrets(config, fields, before) };
}

interface ListedCredential {
  readonly name: string;
  readonly weight: number;
  readonly api_key: string | undefined;
}

/** All credentials that the provider will have. */
function listCredentials(fields: ProviderFields, before: StoredProvider | null): ListedCredential[] {
  const stored = before?.credentials ?? [];
  const { credentials, api_key } = fields;
  if (typeof api_key === 'string' && credentials == null) return [{ name: 'default', weight: 1, api_key }];
  if (credentials === null) return [];
  if (!Array.isArray(credentials))
    return stored.map(({ name, weight }) => ({ name, weight, api_key: undefined }));
  return credentials.map((given: ProviderFields) => {
    const name = String(given['name']);
    const known = stored.find((row) => row.name === name);
    return {
      name,
      weight: typeof given['weight'] === 'number' ? given['weight'] : (known?.weight ?? 1),
      api_key: typeof given['api_key'] === 'string' ? given['api_key'] : undefined,
    };
  });
}

/** A key may be sent only to the origin for which it was stored. */
function requireKeysForOrigin(
  config: ProviderConfig,
  listed: readonly ListedCredential[],
  before: StoredProvider | null,
): void {
  const origin = getProviderOrigin(config);
  for (const [index, { name, api_key }] of listed.entries()) {
    if (api_key !== undefined) continue;
    const known = before?.credentials.find((row) => row.name === name);
    const path = ['credentials', index, 'api_key'];
    if (!known) throw createInvalidInputFault({ path, message: 'is required' });
    if (known.origin !== origin)
      throw createInvalidInputFault({
        path,
        message: `must be sent again because the URL has changed from ${known.origin} to ${origin}`,
      });
  }
}

function requireSecretsForOrigin(
  config: ProviderConfig,
  fields: ProviderFields,
  before: StoredProvider,
): void {
  if (
    !hasProviderSecrets(before.secrets) ||
    getProviderOrigin(toProviderConfigWithoutSecrets(before.row)) === getProviderOrigin(config)
  )
    return;
  const { headers, proxy_userinfo: _, ...identity } = before.secrets;
  if (Object.keys(headers).length > 0 && fields['headers'] === undefined)
    throw createInvalidInputFault({
      path: ['headers'],
      message: 'must be sent again because the URL has changed',
    });
  if (Object.keys(identity).length > 0 && !isJsonObject(fields['identity']))
    throw createInvalidInputFault({
      path: ['identity'],
      message: 'must be sent again because the URL has changed',
    });
}

/**
 * Secrets that cannot be decrypted are replaced together, and cannot be checked for another origin. A request that
 * changes the origin or some of them must contain all of them, so that none is removed silently, and none is sent to
 * another origin if the key is found. The schema already requires the secret of an identity. An empty map of headers,
 * or the proxy without its user and password, does not count, because exports and responses contain these too.
 */
function requireUnreadableSecrets(
  config: ProviderConfig,
  fields: ProviderFields,
  before: StoredProvider,
): void {
  const stored = toProviderConfigWithoutSecrets(before.row);
  const isMoved = getProviderOrigin(stored) !== getProviderOrigin(config);
  if (!isMoved && !hasOtherSecrets(config, fields, before)) return;
  const { headers } = fields;
  requireResendOfUnreadableSecrets(stored.outbound ? ['headers', 'outbound'] : ['headers'], (name) =>
    name === 'headers'
      ? headers === null || Object.keys(config.headers).length > 0
      : fields['outbound'] !== undefined && !repeatsProxy(config, before),
  );
}

/** Returns whether a request sets or removes other secrets than keys. */
function hasOtherSecrets(
  config: ProviderConfig,
  fields: ProviderFields,
  before: StoredProvider | null,
): boolean {
  const { headers, identity, outbound } = fields;
  if (headers !== undefined || identity !== undefined) return true;
  return outbound !== undefined && !(before && repeatsProxy(config, before));
}

/** Returns whether a request contains the proxy as responses show it: without its user and password. */
function repeatsProxy({ outbound }: ProviderConfig, { row }: StoredProvider): boolean {
  return outbound !== undefined && outbound.proxy === toProviderConfigWithoutSecrets(row).outbound?.proxy;
}

/** If a request repeats the identity without its secrets and for the same key, the stored secrets remain. */
function mergeIdentity(given: unknown, current: unknown, before: StoredProvider | null): unknown {
  if (given === null) return undefined;
  if (given === undefined) return current;
  const fields = isJsonObject(given) ? Object.entries(given).filter(([, value]) => value !== null) : [];
  const wanted: Record<string, unknown> = Object.fromEntries(fields);
  const shown = before ? parseStoredConfigEntry(before.row)['identity'] : undefined;
  const isSameKey = isJsonObject(shown) && shown['access_key_id'] === wanted['access_key_id'];
  if (!before || !isSameKey || wanted['secret_access_key'] !== undefined) return wanted;
  const { secret_access_key, session_token } = before.secrets;
  return {
    ...wanted,
    ...(secret_access_key !== undefined && { secret_access_key }),
    ...(session_token !== undefined && wanted['session_token'] === undefined && { session_token }),
  };
}

/**
 * If a request repeats the proxy as responses show it, its stored user and password remain. Another proxy
 * never receives them.
 */
function mergeOutbound(given: unknown, current: unknown, before: StoredProvider | null): unknown {
  if (given === null) return undefined;
  if (!isJsonObject(given)) return given === undefined ? current : given;
  const { proxy } = given;
  const stored = before ? parseStoredConfigEntry(before.row)['outbound'] : undefined;
  if (!before || !isJsonObject(stored) || typeof proxy !== 'string' || stored['proxy'] !== proxy)
    return given;
  if (splitProxyUrl(proxy).userinfo !== undefined) return given;
  return { ...given, proxy: joinProxyUrl(proxy, before.secrets.proxy_userinfo) };
}

/**
 * Returns a stored provider's settings with its decrypted secrets, but without the keys of its
 * credentials.
 */
export function toProviderFields({ row, secrets }: StoredProvider): JsonObject {
  const joined = castToJson(joinProviderSecrets(parseStoredConfigEntry(row), secrets));
  return isJsonObject(joined) ? joined : {};
}

/**
 * Rejects files, identities and proxies of the machine. If several orgs share it, only floe.yaml may name
 * them.
 *
 * @throws Fault `invalid_request`
 */
function rejectMachineResources({ client_cert, outbound, identity }: ProviderConfig): void {
  const named = [
    ['client_cert', client_cert !== undefined],
    ['outbound', outbound !== undefined],
    ['identity.file', identity?.file !== undefined],
    ['identity.profile', identity?.profile !== undefined],
    ['identity.metadata', identity?.metadata === true],
  ] as const;
  for (const [param, isNamed] of named)
    if (isNamed)
      throw new Fault(
        'invalid_request',
        `${param}: can be set only in floe.yaml, because this setting gives access to the machine, which several organizations share`,
        { param },
      );
}

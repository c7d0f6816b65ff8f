import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { hasSecrets, joinProvider, originOf } from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { checkedEntry, ECHOED, overlaid } from '../entries/checked-entry.ts';
import { asJson, refused } from '../input.ts';
import { type FoundProvider, shownConfig } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A provider as a client wants it. */
export interface ProviderDraft {
  /** Keys that stay as they are stored are empty in it. */
  readonly config: ProviderConfig;
  /** Keys that were given now, by name. */
  readonly keys: ReadonlyMap<string, string>;
}

const NOT_CONFIG = new Set([
  ...[...ECHOED].filter((name) => name !== 'id'),
  'origin',
  'problem',
  'speaks',
  'header_names',
  'test_model',
  'credentials',
  'api_key',
  'headers',
  'identity',
]);
/** Stands for a stored key while the rest is checked. */
const KEPT = '(stored)';

/**
 * The whole provider that a request means: `fields` over `base`. Keys and other secrets that are absent stay as
 * they are stored with `before`, unless the provider moves to another address: then they are asked for again.
 *
 * @param base without `fields`: what is stored, or what any request would mean
 * @throws Fault `invalid_request` with `param`, as floe.yaml would refuse it
 */
export function providerDraft(
  host: Pick<ProviderHost, 'mayNameMachine'>,
  fields: Fields,
  base: JsonObject,
  before: FoundProvider | null,
): ProviderDraft {
  const listed = listedCredentials(fields, before);
  const merged = overlaid(base, fields, NOT_CONFIG);
  const headers =
    fields['headers'] === undefined ? (before?.secrets.headers ?? {}) : (fields['headers'] ?? {});
  const identity = identityOf(fields['identity'], base['identity'], before);
  const entry = asJson({
    ...merged,
    headers,
    ...(identity !== undefined && { identity }),
    ...(listed.length > 0 && {
      credentials: listed.map(({ name, api_key, weight }) => ({ name, weight, api_key: api_key ?? KEPT })),
    }),
    ...(fields['api_key'] != null && fields['credentials'] != null && { api_key: fields['api_key'] }),
  });
  const config = checkedEntry({
    section: 'providers',
    schema: ProviderSchema,
    entry: isObject(entry) ? entry : {},
  });
  mustOwnKeys(config, listed, before);
  if (before) mustOwnSecrets(config, fields, before);
  if (!host.mayNameMachine()) mustNotNameMachine(config);
  const keys = new Map(
    listed.flatMap(({ name, api_key }) => (api_key === undefined ? [] : [[name, api_key] as const])),
  );
  return { config, keys };
}

interface Listed {
  readonly name: string;
  readonly weight: number;
  readonly api_key: string | undefined;
}

/** Every credential the provider is to have. */
function listedCredentials(fields: Fields, before: FoundProvider | null): Listed[] {
  const stored = before?.credentials ?? [];
  const { credentials, api_key } = fields;
  if (typeof api_key === 'string' && credentials == null) return [{ name: 'default', weight: 1, api_key }];
  if (credentials === null) return [];
  if (!Array.isArray(credentials))
    return stored.map(({ name, weight }) => ({ name, weight, api_key: undefined }));
  return credentials.map((given: Fields) => {
    const name = String(given['name']);
    const known = stored.find((row) => row.name === name);
    return {
      name,
      weight: typeof given['weight'] === 'number' ? given['weight'] : (known?.weight ?? 1),
      api_key: typeof given['api_key'] === 'string' ? given['api_key'] : undefined,
    };
  });
}

/** A key goes where it was given for and nowhere else. */
function mustOwnKeys(config: ProviderConfig, listed: readonly Listed[], before: FoundProvider | null): void {
  const origin = originOf(config);
  for (const [index, { name, api_key }] of listed.entries()) {
    if (api_key !== undefined) continue;
    const known = before?.credentials.find((row) => row.name === name);
    const path = ['credentials', index, 'api_key'];
    if (!known) throw refused({ path, message: 'is required' });
    if (known.origin !== origin)
      throw refused({ path, message: `give it again: it was given for ${known.origin}, not for ${origin}` });
  }
}

function mustOwnSecrets(config: ProviderConfig, fields: Fields, before: FoundProvider): void {
  if (!hasSecrets(before.secrets) || originOf(shownConfig(before.row)) === originOf(config)) return;
  const { headers, ...identity } = before.secrets;
  if (Object.keys(headers).length > 0 && fields['headers'] === undefined)
    throw refused({ path: ['headers'], message: 'give them again, for the address is another one' });
  if (Object.keys(identity).length > 0 && !isObject(fields['identity']))
    throw refused({ path: ['identity'], message: 'give it again, for the address is another one' });
}

/** Its secrets stay when a request gives the rest of it back without them, for the same key. */
function identityOf(given: unknown, current: unknown, before: FoundProvider | null): unknown {
  if (given === null) return undefined;
  if (given === undefined) return current;
  const fields = isObject(given) ? Object.entries(given).filter(([, value]) => value !== null) : [];
  const wanted: Record<string, unknown> = Object.fromEntries(fields);
  const shown = before ? parsed(before.row)['identity'] : undefined;
  const isSameKey = isObject(shown) && shown['access_key_id'] === wanted['access_key_id'];
  if (!before || !isSameKey || wanted['secret_access_key'] !== undefined) return wanted;
  const { secret_access_key, session_token } = before.secrets;
  return {
    ...wanted,
    ...(secret_access_key !== undefined && { secret_access_key }),
    ...(session_token !== undefined && wanted['session_token'] === undefined && { session_token }),
  };
}

/** What a stored provider says, its sealed parts but the keys in it. */
export function baseOf({ row, secrets }: FoundProvider): JsonObject {
  const joined = asJson(joinProvider(parsed(row), secrets));
  return isObject(joined) ? joined : {};
}

/**
 * Files, identities and proxies of the machine are the operator's: with several orgs only floe.yaml names them.
 *
 * @throws Fault `invalid_request`
 */
function mustNotNameMachine({ client_cert, outbound, identity }: ProviderConfig): void {
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
        `${param}: belongs to the machine, which several orgs share; only floe.yaml may set it`,
        { param },
      );
}

import type { ProviderConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { CONFIG_FILE_PROVIDER_RESOURCE_KIND } from '../../platform/config/config-file-entries.ts';
import {
  joinProxyUrl,
  NO_PROVIDER_SECRETS,
  type ProviderSecrets,
  splitProviderSecrets,
  splitProxyUrl,
} from '../../platform/config/provider-secrets.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import {
  type ConfigEntryRow,
  listProviderCredentials,
  type ProviderCredentialRow,
} from '../../store/config-entries.ts';
import type { ProviderDependencies } from '../providers/provider-dependencies.ts';
import { tryDecryptProviderSecrets } from '../providers/stored-providers.ts';
import type { ConfigDocument } from './config-document.ts';
import {
  type DocumentResourceKind,
  defineDocumentListResourceKind,
  type IsStoredSecretRetained,
  type OrgReadContext,
  omitRetainedSecrets,
} from './document-resource-kind.ts';
import type { SecretPlaceholders } from './secret-placeholders.ts';

/** In exports, this header represents all headers of a provider whose headers cannot be decrypted. */
const UNREADABLE_HEADERS = 'unreadable-headers';

/**
 * Builds the request body of the provider operation. It contains only the secrets that the document gives. An empty map
 * of headers removes headers that cannot be decrypted. If the document has no field `headers`, the operation rejects
 * the request if the stored headers cannot be decrypted.
 */
function toProviderBody(
  { headers, credentials, identity, outbound, ...provider }: ProviderConfig,
  isSecretKept: IsStoredSecretRetained,
  isEmptied: (field: string) => boolean,
): object {
  const named = Object.keys(headers).some((name) => isSecretKept('headers', name))
    ? {}
    : { headers: isEmptied('headers') ? null : headers };
  return {
    ...provider,
    ...named,
    ...(outbound && {
      outbound: isSecretKept('outbound', 'proxy')
        ? { ...outbound, proxy: splitProxyUrl(outbound.proxy).address }
        : outbound,
    }),
    ...(identity && {
      identity: omitRetainedSecrets(identity, (...path) => isSecretKept('identity', ...path)),
    }),
    credentials: credentials.map(({ name, weight, api_key }, n) => ({
      name,
      weight,
      ...(!isSecretKept('api_key') && !isSecretKept('credentials', n, 'api_key') && { api_key }),
    })),
  };
}

const LIST_RESOURCE_KIND = defineDocumentListResourceKind(
  CONFIG_FILE_PROVIDER_RESOURCE_KIND,
  { toBody: toProviderBody },
  async (reading) => {
    const { reader, orgId, dependencies } = reading;
    const credentials = await listProviderCredentials(reader, orgId);
    const rows = await CONFIG_FILE_PROVIDER_RESOURCE_KIND.stored(reader, [orgId]);
    const running = [...dependencies.providers.getLoadedOrg(orgId).catalog.providers.values()];
    const fromEnvironment = running.filter(({ id }) => !rows.some((row) => row.id === id));
    return [
      ...rows.map((row) => ({
        id: row.id,
        source: row.source,
        toEntry: (placeholders: SecretPlaceholders) =>
          toProviderEntry(
            row,
            resolveProviderSecrets(row, credentials, dependencies.providers),
            placeholders,
          ),
      })),
      ...fromEnvironment.map(({ id, definition: { kind } }) => ({
        id,
        source: 'environment',
        toEntry: () => ({ id, kind }),
      })),
    ];
  },
);

/**
 * Defines how providers are represented in a configuration document. Includes the providers from environment
 * variables, because routes may refer to them.
 */
export const PROVIDER_DOCUMENT_RESOURCE_KIND: DocumentResourceKind = {
  ...LIST_RESOURCE_KIND,
  async buildSteps(document, reading) {
    await requireUnchangedHeaders(document, reading);
    return LIST_RESOURCE_KIND.buildSteps(document, reading);
  },
};

/**
 * The provider operation replaces all headers of a provider or none. If the document omits the value of a header,
 * requires that it changes no other header of the provider.
 * @throws Fault `invalid_request` with the missing variables
 */
async function requireUnchangedHeaders(
  document: ConfigDocument,
  { reader, orgId, dependencies }: OrgReadContext,
): Promise<void> {
  const omitted = document.org.providers.flatMap(({ id, headers }, at) => {
    const variables = Object.keys(headers).flatMap(
      (name) => document.keptSecrets.get(JSON.stringify(['providers', at, 'headers', name])) ?? [],
    );
    return variables.length > 0 ? [{ id, at, headers, variables }] : [];
  });
  if (omitted.length === 0) return;
  const rows = await CONFIG_FILE_PROVIDER_RESOURCE_KIND.stored(reader, [orgId]);
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  for (const { id, at, headers, variables } of omitted) {
    const row = rowsById.get(id);
    if (row?.source !== 'console') continue;
    const { secrets, hasUnreadableSecrets } = tryDecryptProviderSecrets(
      row,
      dependencies.providers.secretsKey,
    );
    const isOmitted = (name: string) => document.keepsSecret('providers', at, 'headers', name);
    const isStored = (name: string) => Object.hasOwn(secrets.headers, name);
    // For a header without a stored value, `requireSecretValues` lists all missing values of the document.
    const isMissing = Object.keys(headers).some((name) => isOmitted(name) && !isStored(name));
    if (hasUnreadableSecrets || isMissing) continue;
    const isUnchanged = ([name, value]: [string, string]) =>
      isStored(name) && (isOmitted(name) || secrets.headers[name] === value);
    const given = Object.entries(headers);
    if (given.length !== Object.keys(secrets.headers).length || !given.every(isUnchanged))
      throw new Fault(
        'invalid_request',
        `The headers of the provider "${id}" differ from the stored headers, and Floe can only replace all of them at once. Set these variables too: ${variables.join(', ')}`,
        { param: 'variables' },
      );
  }
}

interface NamedProviderSecrets extends ProviderSecrets {
  readonly credentials: readonly Pick<ProviderCredentialRow, 'name' | 'weight' | 'last4'>[];
}

/** The stored secrets of a provider. Secrets of floe.yaml are not stored. */
function resolveProviderSecrets(
  row: ConfigEntryRow,
  credentials: readonly ProviderCredentialRow[],
  dependencies: ProviderDependencies,
): NamedProviderSecrets {
  if (row.source !== 'file') {
    const own = credentials.filter(({ provider_id }) => provider_id === row.id);
    const { secrets, hasUnreadableSecrets } = tryDecryptProviderSecrets(row, dependencies.secretsKey);
    return { ...(hasUnreadableSecrets ? listPossibleSecrets(row) : secrets), credentials: own };
  }
  const declared = dependencies.getLoadedOrg(row.org_id).config?.providers.find(({ id }) => id === row.id);
  const secrets = declared ? splitProviderSecrets(declared).secrets : NO_PROVIDER_SECRETS;
  const named = (declared?.credentials ?? []).map(({ name, weight }) => ({ name, weight, last4: '' }));
  return { ...secrets, credentials: named };
}

/** The secrets that a provider may have if they cannot be decrypted. The names of its headers are unknown. */
function listPossibleSecrets(row: ConfigEntryRow): ProviderSecrets {
  const { identity } = parseStoredConfigEntry(row);
  const hasAccessKey = isJsonObject(identity) && identity['access_key_id'] !== undefined;
  return {
    headers: { [UNREADABLE_HEADERS]: '' },
    proxy_userinfo: 'unreadable',
    ...(hasAccessKey && { secret_access_key: '' }),
  };
}

function toProviderEntry(
  row: ConfigEntryRow,
  secrets: NamedProviderSecrets,
  placeholders: SecretPlaceholders,
): JsonObject {
  const { headers, credentials, proxy_userinfo, ...keys } = secrets;
  const { identity, outbound, ...entry } = parseStoredConfigEntry(row);
  const of = `of the provider "${row.id}"`;
  // The prefix prevents names that the environment of a caller sets for other purposes, such as AWS_SESSION_TOKEN.
  const place = ['provider', row.id];
  const named = (values: object, parts: readonly string[], describe: (name: string) => string) =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([name]) => [name, placeholders.create([...parts, name], describe(name))]),
    );
  const withUserinfo = (proxy: string) =>
    joinProxyUrl(
      proxy,
      proxy_userinfo &&
        placeholders.create([...place, 'proxy'], `the user name and password of the proxy ${of}`),
    );
  return {
    ...entry,
    ...(isJsonObject(outbound) && {
      outbound: { ...outbound, proxy: withUserinfo(String(outbound['proxy'])) },
    }),
    ...(Object.keys(headers).length > 0 && {
      headers: named(headers, [...place, 'header'], (name) =>
        name === UNREADABLE_HEADERS
          ? `the headers ${of}; Floe cannot decrypt them, so replace the entry ${UNREADABLE_HEADERS} with their names and values`
          : `the header ${name} ${of}`,
      ),
    }),
    ...(isJsonObject(identity) && {
      identity: { ...identity, ...named(keys, place, (name) => `the ${name.replaceAll('_', ' ')} ${of}`) },
    }),
    ...(credentials.length > 0 && {
      credentials: credentials.map(({ name, weight, last4 }) => {
        const end = last4 === '' ? '' : `; the key ends in ${last4}`;
        return {
          name,
          weight,
          api_key: placeholders.create(
            [...place, name, 'key'],
            `the key of the credential "${name}" ${of}${end}`,
          ),
        };
      }),
    }),
  };
}

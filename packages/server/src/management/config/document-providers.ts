import type { ProviderConfig } from '@floe/contract/config';
import { isObject, type JsonObject } from '@floe/contract/json';
import { FILE_PROVIDERS } from '../../platform/config/file-entries.ts';
import {
  NO_SECRETS,
  openProviderSecrets,
  type ProviderSecrets,
  splitProvider,
} from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { type CredentialRow, credentialsOf, type EntryRow } from '../../store/config-entries.ts';
import type { ProviderHost } from '../providers/provider-host.ts';
import { type Keeps, listed, withoutKept } from './document-kind.ts';
import type { Placeholders } from './placeholders.ts';

/** What the verb of a provider is sent: of its secrets, those that are given. */
function providerBody({ headers, credentials, identity, ...provider }: ProviderConfig, keeps: Keeps): object {
  const named = Object.keys(headers).some((name) => keeps('headers', name)) ? {} : { headers };
  return {
    ...provider,
    ...named,
    ...(identity && { identity: withoutKept(identity, (...path) => keeps('identity', ...path)) }),
    credentials: credentials.map(({ name, weight, api_key }, n) => ({
      name,
      weight,
      ...(!keeps('api_key') && !keeps('credentials', n, 'api_key') && { api_key }),
    })),
  };
}

/** Providers; those that the environment gives are among them, so that routes may name them. */
export const PROVIDERS = listed(FILE_PROVIDERS, { body: providerBody }, async (reading) => {
  const { reader, orgId, host } = reading;
  const credentials = await credentialsOf(reader, orgId);
  const rows = await FILE_PROVIDERS.stored(reader, orgId);
  const given = [...host.providers.orgs(orgId).catalog.providers.values()];
  const lent = given.filter(({ id }) => !rows.some((row) => row.id === id));
  return [
    ...rows.map((row) => ({
      id: row.id,
      source: row.source,
      entry: (placeholders: Placeholders) =>
        providerEntry(row, secretsOf(row, credentials, host.providers), placeholders),
    })),
    ...lent.map(({ id, sheet: { kind } }) => ({ id, source: 'environment', entry: () => ({ id, kind }) })),
  ];
});

interface NamedSecrets extends ProviderSecrets {
  readonly credentials: readonly Pick<CredentialRow, 'name' | 'weight' | 'last4'>[];
}

/** Those of floe.yaml are not stored. */
function secretsOf(row: EntryRow, credentials: readonly CredentialRow[], host: ProviderHost): NamedSecrets {
  if (row.source !== 'file') {
    const own = credentials.filter(({ provider_id }) => provider_id === row.id);
    return { ...openProviderSecrets(row, host.key), credentials: own };
  }
  const declared = host.orgs(row.org_id).config?.providers.find(({ id }) => id === row.id);
  const secrets = declared ? splitProvider(declared).secrets : NO_SECRETS;
  const named = (declared?.credentials ?? []).map(({ name, weight }) => ({ name, weight, last4: '' }));
  return { ...secrets, credentials: named };
}

function providerEntry(row: EntryRow, secrets: NamedSecrets, placeholders: Placeholders): JsonObject {
  const { headers, credentials, ...keys } = secrets;
  const { identity, ...entry } = parsed(row);
  const of = `of the provider "${row.id}"`;
  const named = (values: object, parts: readonly string[], meaningOf: (name: string) => string) =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([name]) => [name, placeholders.for([...parts, name], meaningOf(name))]),
    );
  return {
    ...entry,
    ...(Object.keys(headers).length > 0 && {
      headers: named(headers, [row.id, 'header'], (name) => `the header ${name} ${of}`),
    }),
    ...(isObject(identity) && {
      identity: { ...identity, ...named(keys, [row.id], (name) => `the ${name.replaceAll('_', ' ')} ${of}`) },
    }),
    ...(credentials.length > 0 && {
      credentials: credentials.map(({ name, weight, last4 }) => {
        const end = last4 === '' ? '' : `, which ends in ${last4}`;
        return {
          name,
          weight,
          api_key: placeholders.for([row.id, name, 'key'], `the key "${name}" ${of}${end}`),
        };
      }),
    }),
  };
}

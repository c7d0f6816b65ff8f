import type { ProviderConfig } from '@floe/contract/config';
import { isObject, type JsonObject } from '@floe/contract/json';
import {
  NO_SECRETS,
  openProviderSecrets,
  type ProviderSecrets,
  splitProvider,
} from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import type { CredentialRow, EntryRow } from '../../store/config-entries.ts';
import type { ProviderHost } from '../providers/provider-host.ts';
import type { Placeholders } from './placeholders.ts';

interface StoredProviders {
  readonly rows: readonly EntryRow[];
  readonly credentials: readonly CredentialRow[];
}

/** The providers of an org in the form of floe.yaml; those the environment gave are named, so that routes may name them. */
export function exportedProviders(
  { rows, credentials }: StoredProviders,
  host: ProviderHost,
  orgId: string,
  placeholders: Placeholders,
): JsonObject[] {
  const { catalog, config } = host.orgs(orgId);
  const lent = [...catalog.providers.values()].filter(({ id }) => !rows.some((row) => row.id === id));
  const stored = rows.map((row): JsonObject => {
    const declared = config?.providers.find(({ id }) => id === row.id);
    const isFile = row.source === 'file';
    const { headers, ...keys } = isFile ? secretsIn(declared) : openProviderSecrets(row, host.key);
    const named = isFile
      ? (declared?.credentials ?? []).map(({ name, weight }) => ({ name, weight, last4: '' }))
      : credentials.filter(({ provider_id }) => provider_id === row.id);
    const { identity, ...entry } = parsed(row);
    return {
      ...entry,
      ...(Object.keys(headers).length > 0 && {
        headers: headersOf(row.id, Object.keys(headers), placeholders),
      }),
      ...(isObject(identity) && { identity: identityOf(row.id, identity, keys, placeholders) }),
      ...(named.length > 0 && {
        credentials: named.map(({ name, weight, last4 }) => ({
          name,
          weight,
          api_key: placeholders.for([row.id, name, 'key'], meaningOf(row.id, name, last4)),
        })),
      }),
    };
  });
  return [...stored, ...lent.map(({ id, sheet }) => ({ id, kind: sheet.kind }))];
}

function meaningOf(id: string, name: string, last4: string): string {
  return `the key "${name}" of the provider "${id}"${last4 === '' ? '' : `, which ends in ${last4}`}`;
}

function headersOf(id: string, names: readonly string[], placeholders: Placeholders): JsonObject {
  return Object.fromEntries(
    names.map((name) => [
      name,
      placeholders.for([id, 'header', name], `the header ${name} of the provider "${id}"`),
    ]),
  );
}

function secretsIn(declared: ProviderConfig | undefined): ProviderSecrets {
  return declared ? splitProvider(declared).secrets : NO_SECRETS;
}

function identityOf(
  id: string,
  identity: JsonObject,
  keys: Omit<ProviderSecrets, 'headers'>,
  placeholders: Placeholders,
): JsonObject {
  const secrets = Object.entries(keys).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const meaning = `the ${name.replaceAll('_', ' ')} of the provider "${id}"`;
    return [[name, placeholders.for([id, name], meaning)]];
  });
  return { ...identity, ...Object.fromEntries(secrets) };
}

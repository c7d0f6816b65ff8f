import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import type { JsonObject } from '@floe/contract/json';
import {
  NO_SECRETS,
  openProviderSecrets,
  type ProviderSecrets,
} from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { type SecretsKey, SecretUnreadable } from '../../platform/secrets.ts';
import type { Provider } from '../../providers/configured.ts';
import {
  type CredentialRow,
  credentialsOf,
  type EntryRow,
  entriesOfOrg,
  entryById,
} from '../../store/config-entries.ts';
import type { Reader } from '../../store/ports.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import type { StoredKind } from '../resources/resource-kind.ts';
import type { RunningOrg } from '../running-org.ts';

/** A provider of the store, with what belongs to it. */
export interface FoundProvider {
  readonly row: EntryRow;
  readonly credentials: readonly CredentialRow[];
  readonly secrets: ProviderSecrets;
  /** Which secrets a change has just put in the place of others. */
  readonly replaced?: JsonObject;
}

/** A provider that the environment of the process gave. */
export interface LentProvider {
  readonly lent: Provider;
}

export const UNKNOWN_PROVIDER = 'There is no such provider.';

/** Providers of the store, for what is asked of one of them. */
export function storedProviders(key: SecretsKey): StoredKind<FoundProvider> {
  return {
    unknown: UNKNOWN_PROVIDER,
    async find(reader, orgId, id) {
      const row = await entryById(reader, orgId, 'providers', id);
      if (!row) return undefined;
      const credentials = await credentialsOf(reader, orgId, id);
      return { row, credentials, secrets: openProviderSecrets(row, key) };
    },
    mustBeChangeable: ({ row }) => mustNotBeInFile('provider', row.id, row),
  };
}

/** All of an org; one whose secrets cannot be read does not hide the others. */
export async function allProviders(
  reader: Reader,
  orgId: string,
  key: SecretsKey,
): Promise<readonly FoundProvider[]> {
  const rows = await entriesOfOrg(reader, orgId, 'providers');
  const credentials = await credentialsOf(reader, orgId);
  return rows.map((row) => ({
    row,
    credentials: credentials.filter(({ provider_id }) => provider_id === row.id),
    secrets: readableSecrets(row, key),
  }));
}

function readableSecrets(row: EntryRow, key: SecretsKey): ProviderSecrets {
  try {
    return openProviderSecrets(row, key);
  } catch (error) {
    if (error instanceof SecretUnreadable) return NO_SECRETS;
    throw error;
  }
}

/** Providers that the environment gave an org. */
export function lentProviders({ catalog, config }: RunningOrg): readonly LentProvider[] {
  const own = new Set(config?.providers.map(({ id }) => id));
  return [...catalog.providers.values()].flatMap((lent) => (own.has(lent.id) ? [] : [{ lent }]));
}

/** A stored provider without its secrets; what floe.yaml would say but for them. */
export function shownConfig(row: EntryRow): ProviderConfig {
  const { identity: _, ...entry } = parsed(row);
  return ProviderSchema.parse(entry);
}

import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import type { JsonObject } from '@floe/contract/json';
import {
  decryptProviderSecrets,
  NO_PROVIDER_SECRETS,
  type ProviderSecrets,
} from '../../platform/config/provider-secrets.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import { decryptOrNull, type SecretEncryptionKey } from '../../platform/secrets.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import {
  type ConfigEntryRow,
  findConfigEntryById,
  listConfigEntriesOfOrg,
  listProviderCredentials,
  type ProviderCredentialRow,
} from '../../store/config-entries.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { LoadedOrg } from '../loaded-org.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import type { ResourceLookup } from '../resources/resource-kind.ts';

/** A stored provider with its decrypted secrets and credentials. */
export interface StoredProvider {
  readonly row: ConfigEntryRow;
  readonly credentials: readonly ProviderCredentialRow[];
  /** None if they cannot be decrypted. */
  readonly secrets: ProviderSecrets;
  /** Whether the row has secrets that cannot be decrypted. They remain stored until a request contains new ones. */
  readonly hasUnreadableSecrets: boolean;
  /** Names of the secrets that a change has just replaced. */
  readonly replacedSecrets?: JsonObject;
}

/** A provider that the process's environment variables define. */
export interface EnvironmentProvider {
  readonly environmentProvider: Provider;
}

/** The message of the 404 error for providers. */
export const UNKNOWN_PROVIDER_MESSAGE = 'No provider has this id.';

/** Creates the lookup of stored providers by id. */
export function createStoredProviderLookup(key: SecretEncryptionKey): ResourceLookup<StoredProvider> {
  return {
    notFoundMessage: UNKNOWN_PROVIDER_MESSAGE,
    async find(reader, orgId, id) {
      const row = await findConfigEntryById(reader, orgId, 'providers', id);
      if (!row) return undefined;
      const credentials = await listProviderCredentials(reader, orgId, id);
      return { row, credentials, ...tryDecryptProviderSecrets(row, key) };
    },
    requireChangeable: ({ row }) => requireNotManagedByFile('provider', row.id, row),
  };
}

/**
 * Returns all of an organization's stored providers. A provider whose secrets cannot be decrypted
 * does not prevent the others from being listed.
 */
export async function listStoredProviders(
  reader: DatabaseReader,
  orgId: string,
  key: SecretEncryptionKey,
): Promise<readonly StoredProvider[]> {
  const rows = await listConfigEntriesOfOrg(reader, orgId, 'providers');
  const credentials = await listProviderCredentials(reader, orgId);
  return rows.map((row) => ({
    row,
    credentials: credentials.filter(({ provider_id }) => provider_id === row.id),
    ...tryDecryptProviderSecrets(row, key),
  }));
}

/** Decrypts a provider's secrets. If they are unreadable, returns none, so that a user can still correct the provider. */
export function tryDecryptProviderSecrets(
  row: ConfigEntryRow,
  key: SecretEncryptionKey,
): Pick<StoredProvider, 'secrets' | 'hasUnreadableSecrets'> {
  const secrets = decryptOrNull(() => decryptProviderSecrets(row, key));
  return { secrets: secrets ?? NO_PROVIDER_SECRETS, hasUnreadableSecrets: secrets === null };
}

/** Returns the providers that the environment defines for an organization. */
export function listEnvironmentProviders({ catalog, config }: LoadedOrg): readonly EnvironmentProvider[] {
  const own = new Set(config?.providers.map(({ id }) => id));
  return [...catalog.providers.values()].flatMap((lent) =>
    own.has(lent.id) ? [] : [{ environmentProvider: lent }],
  );
}

/** Returns a stored provider's settings in the format of floe.yaml, without secrets. */
export function toProviderConfigWithoutSecrets(row: ConfigEntryRow): ProviderConfig {
  const { identity: _, ...entry } = parseStoredConfigEntry(row);
  return ProviderSchema.parse(entry);
}

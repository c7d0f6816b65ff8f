import type { ProviderConfig } from '@floe/contract/config';
import { ProviderSchema } from '@floe/contract/config/providers';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import {
  NO_SECRETS,
  openProviderSecrets,
  type ProviderSecrets,
} from '../../platform/config/provider-secrets.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { type CredentialRow, credentialsOf, type EntryRow, entryById } from '../../store/config-entries.ts';
import type { Reader } from '../../store/ports.ts';
import type { RunningOrgs } from '../running-org.ts';

/** A provider of the store, with what belongs to it. */
export interface FoundProvider {
  readonly row: EntryRow;
  readonly credentials: readonly CredentialRow[];
  readonly secrets: ProviderSecrets;
}

export async function findProvider(
  reader: Reader,
  orgId: string,
  id: string,
  key: SecretsKey,
): Promise<FoundProvider | null> {
  const row = await entryById(reader, orgId, 'providers', id);
  if (!row) return null;
  const credentials = await credentialsOf(reader, orgId, id);
  return { row, credentials, secrets: openProviderSecrets(row, key) };
}

export function unknownProvider(): Fault {
  return new Fault('not_found', 'There is no such provider.');
}

/** What floe.yaml would say of a provider that the environment gave; null when it gave none of this id. */
export function lentProvider(orgs: RunningOrgs, orgId: string, id: string): JsonObject | null {
  const { catalog, config } = orgs(orgId);
  const provider = catalog.providers.get(id);
  const isOwn = config?.providers.some((one) => one.id === id) ?? false;
  return provider && !isOwn ? { id, kind: provider.sheet.kind } : null;
}

/** A stored provider without its secrets; what floe.yaml would say but for them. */
export function shownConfig(row: EntryRow): ProviderConfig {
  const { identity: _, ...entry } = parsed(row);
  return ProviderSchema.parse(entry);
}

export const NOTHING_SEALED = NO_SECRETS;

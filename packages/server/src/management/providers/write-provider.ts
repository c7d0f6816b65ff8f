import type { ProviderConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { newId } from '../../core/ids.ts';
import {
  credentialPlace,
  last4Of,
  originOf,
  sealProviderSecrets,
  splitProvider,
} from '../../platform/config/provider-secrets.ts';
import { openSecret, type SecretsKey, SecretUnreadable, sealSecret } from '../../platform/secrets.ts';
import {
  type CredentialRow,
  changeCredential,
  changeEntry,
  type EntryRow,
  entriesOfOrg,
  insertCredential,
  insertEntry,
  removeCredential,
} from '../../store/config-entries.ts';
import { requireStepUp } from '../access.ts';
import { entryRow } from '../entries/entry-row.ts';
import { existing } from '../resources/resource-verbs.ts';
import type { Writing } from '../verb-definition.ts';
import { type FoundProvider, storedProviders } from './found-provider.ts';
import type { ProviderDraft } from './provider-draft.ts';

/**
 * Writes a provider in the place of `before`, if there is one: its settings, and the keys that were given. Members confirm
 * who they are to give one.
 */
export async function putProvider(
  context: Writing,
  key: SecretsKey,
  draft: ProviderDraft,
  before: FoundProvider | null,
): Promise<{ readonly provider: FoundProvider; readonly isChanged: boolean }> {
  const row = await providerRow(context, key, draft.config, before);
  const isOther = before === null || differs(row, before.row);
  if (!before) await insertEntry(context.writer, row);
  else if (isOther) await changeEntry(context.writer, before.row, row);
  const touched = await putCredentials(context, key, draft, before?.credentials ?? []);
  const after = await existing(storedProviders(key), context, row.id);
  return { provider: { ...after, replaced: replaced(before, after) }, isChanged: touched || isOther };
}

/** Secrets that were put in the place of others: the views show none, so an entry of the audit log says so. */
function replaced(before: FoundProvider | null, after: FoundProvider): JsonObject {
  if (!before) return {};
  const versions = new Map(before.credentials.map(({ id, version }) => [id, version]));
  const keys = after.credentials
    .filter(({ id, version }) => (versions.get(id) ?? version) !== version)
    .map(({ name }) => name);
  return {
    ...(keys.length > 0 && { keys_replaced: keys }),
    ...(after.row.secrets_version !== before.row.secrets_version && { secrets: 'replaced' }),
  };
}

function differs(row: EntryRow, before: EntryRow): boolean {
  return row.entry_json !== before.entry_json || row.secrets_sealed !== before.secrets_sealed;
}

async function providerRow(
  context: Writing,
  key: SecretsKey,
  config: ProviderConfig,
  before: FoundProvider | null,
): Promise<EntryRow> {
  const { entry, secrets } = splitProvider(config);
  const isSame = before !== null && JSON.stringify(before.secrets) === JSON.stringify(secrets);
  const version = (before?.row.secrets_version ?? 0) + (isSame ? 0 : 1);
  const rows = before ? [] : await entriesOfOrg(context.reader, context.orgId, 'providers');
  const row = entryRow(context, before?.row ?? null, {
    kind: 'providers',
    id: config.id,
    position: before?.row.position ?? Math.max(-1, ...rows.map(({ position }) => position)) + 1,
    entry_json: JSON.stringify(entry),
    secrets_version: version,
  });
  const sealed = isSame ? before.row.secrets_sealed : sealProviderSecrets(secrets, row, version, key);
  return { ...row, secrets_sealed: sealed };
}

/** Brings the stored keys in line with the draft; false when nothing was to be done, also for a key that is stored already. */
async function putCredentials(
  context: Writing,
  key: SecretsKey,
  { config, keys }: ProviderDraft,
  stored: readonly CredentialRow[],
): Promise<boolean> {
  let touched = false;
  for (const row of stored)
    if (!config.credentials.some(({ name }) => name === row.name)) {
      await removeCredential(context.writer, row.id);
      touched = true;
    }
  const place = { provider_id: config.id, origin: originOf(config) };
  for (const { name, weight } of config.credentials) {
    const before = stored.find((row) => row.name === name) ?? null;
    const given = keys.get(name);
    if (given !== undefined) requireStepUp(context.actor, context.clock.now());
    const isStored = before !== null && before.origin === place.origin && storedKey(before, key) === given;
    const secret = isStored ? undefined : given;
    if (before && secret === undefined && before.weight === weight) continue;
    await putCredential(context, key, place, { name, weight, secret, before });
    touched = true;
  }
  return touched;
}

/** A stored key; null for one that cannot be read. */
function storedKey(row: CredentialRow, key: SecretsKey): string | null {
  try {
    return openSecret(row.sealed, credentialPlace(row, row.version), key);
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

/** A key of a provider as it is to be. */
interface WantedCredential {
  readonly name: string;
  readonly weight: number;
  /** Undefined: the stored one. */
  readonly secret: string | undefined;
  readonly before: CredentialRow | null;
}

/** Writes one key, for which members confirm who they are, or only its weight where there is no `secret`. */
export async function putCredential(
  { orgId, actor, clock, writer }: Writing,
  key: SecretsKey,
  place: Pick<CredentialRow, 'provider_id' | 'origin'>,
  { name, weight, secret, before }: WantedCredential,
): Promise<CredentialRow> {
  const now = clock.now();
  if (secret !== undefined) requireStepUp(actor, now);
  const id = before?.id ?? newId('crd', now);
  const version = (before?.version ?? 0) + (secret === undefined ? 0 : 1);
  const columns = {
    weight,
    updated_at: now,
    updated_by: actor.id,
    ...(secret !== undefined && {
      origin: place.origin,
      last4: last4Of(secret) ?? '',
      sealed: sealSecret(secret, credentialPlace({ org_id: orgId, id }, version), key),
      version,
      tested_at: null,
      test_json: null,
    }),
  };
  if (before) {
    await changeCredential(writer, id, columns);
    return { ...before, ...columns };
  }
  const none = { last4: '', sealed: '', version, tested_at: null, test_json: null };
  const row = { id, org_id: orgId, name, created_at: now, ...place, ...none, ...columns };
  await insertCredential(writer, row);
  return row;
}

import type { JsonObject } from '@floe/contract/json';
import { createId } from '../../core/ids.ts';
import {
  createCredentialHint,
  decryptProviderCredential,
  encryptProviderSecrets,
  getProviderOrigin,
  splitProviderSecrets,
  toCredentialSecretLocation,
} from '../../platform/config/provider-secrets.ts';
import { decryptOrNull, encryptSecret, type SecretEncryptionKey } from '../../platform/secrets.ts';
import {
  type ConfigEntryRow,
  deleteProviderCredential,
  insertConfigEntry,
  insertProviderCredential,
  listConfigEntriesOfOrg,
  type ProviderCredentialRow,
  updateConfigEntry,
  updateProviderCredential,
} from '../../store/config-entries.ts';
import { requireStepUp } from '../access.ts';
import { buildConfigEntryRow } from '../entries/config-entry-row.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { requireResource } from '../resources/resource-operations.ts';
import type { ProviderDraft } from './provider-draft.ts';
import { createStoredProviderLookup, type StoredProvider } from './stored-providers.ts';

/**
 * Inserts a provider or replaces `before`. Writes the settings, and the credentials that the request contains.
 * @throws Fault `step_up_required` if a member writes a credential without a recent step-up
 */
export async function upsertProvider(
  context: WriteOperationContext,
  key: SecretEncryptionKey,
  draft: ProviderDraft,
  before: StoredProvider | null,
): Promise<{ readonly provider: StoredProvider; readonly isChanged: boolean }> {
  const row = await buildProviderRow(context, key, draft, before);
  const hasChanged = before === null || isDifferentRow(row, before.row);
  if (!before) await insertConfigEntry(context.writer, row);
  else if (hasChanged) await updateConfigEntry(context.writer, before.row, row);
  const touched = await syncCredentials(context, key, draft, before?.credentials ?? []);
  const after = await requireResource(createStoredProviderLookup(key), context, row.id);
  return {
    provider: { ...after, replacedSecrets: listReplacedSecrets(before, after) },
    isChanged: touched || hasChanged,
  };
}

/** The replaced secrets for the audit entry, because resource views contain no secrets. */
function listReplacedSecrets(before: StoredProvider | null, after: StoredProvider): JsonObject {
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

function isDifferentRow(row: ConfigEntryRow, before: ConfigEntryRow): boolean {
  return row.entry_json !== before.entry_json || row.secrets_sealed !== before.secrets_sealed;
}

async function buildProviderRow(
  context: WriteOperationContext,
  key: SecretEncryptionKey,
  { config, setsOtherSecrets }: ProviderDraft,
  before: StoredProvider | null,
): Promise<ConfigEntryRow> {
  const { entry, secrets } = splitProviderSecrets(config);
  const isSame =
    before !== null &&
    !(before.hasUnreadableSecrets && setsOtherSecrets) &&
    JSON.stringify(before.secrets) === JSON.stringify(secrets);
  const version = (before?.row.secrets_version ?? 0) + (isSame ? 0 : 1);
  const rows = before ? [] : await listConfigEntriesOfOrg(context.reader, context.orgId, 'providers');
  const row = buildConfigEntryRow(context, before?.row ?? null, {
    kind: 'providers',
    id: config.id,
    position: before?.row.position ?? Math.max(-1, ...rows.map(({ position }) => position)) + 1,
    entry_json: JSON.stringify(entry),
    secrets_version: version,
  });
  const ciphertext = isSame ? before.row.secrets_sealed : encryptProviderSecrets(secrets, row, version, key);
  return { ...row, secrets_sealed: ciphertext };
}

/**
 * Updates the stored credentials to match the draft. Returns false if nothing changed, also if a sent key was
 * already stored.
 */
async function syncCredentials(
  context: WriteOperationContext,
  key: SecretEncryptionKey,
  { config, keys }: ProviderDraft,
  stored: readonly ProviderCredentialRow[],
): Promise<boolean> {
  let hasChanges = false;
  for (const row of stored)
    if (!config.credentials.some(({ name }) => name === row.name)) {
      await deleteProviderCredential(context.writer, row.id);
      hasChanges = true;
    }
  const binding = { provider_id: config.id, origin: getProviderOrigin(config) };
  for (const { name, weight } of config.credentials) {
    const before = stored.find((row) => row.name === name) ?? null;
    const given = keys.get(name);
    if (given !== undefined) requireStepUp(context.actor, context.clock.now());
    const isStored =
      before !== null && before.origin === binding.origin && openStoredKey(before, key) === given;
    const secret = isStored ? undefined : given;
    if (before && secret === undefined && before.weight === weight) continue;
    await upsertCredential(context, key, binding, { name, weight, secret, before });
    hasChanges = true;
  }
  return hasChanges;
}

/** Decrypts a stored key. Null if it cannot be decrypted. */
function openStoredKey(row: ProviderCredentialRow, key: SecretEncryptionKey): string | null {
  return decryptOrNull(() => decryptProviderCredential(row, key));
}

/** The desired state of a provider credential. */
interface CredentialInput {
  readonly name: string;
  readonly weight: number;
  /** Undefined: the stored secret. */
  readonly secret: string | undefined;
  readonly before: ProviderCredentialRow | null;
}

/**
 * Writes one credential. If there is no `secret`, writes only the weight.
 * @throws Fault `step_up_required` if a member writes a secret without a recent step-up
 */
export async function upsertCredential(
  { orgId, actor, clock, writer }: WriteOperationContext,
  key: SecretEncryptionKey,
  binding: Pick<ProviderCredentialRow, 'provider_id' | 'origin'>,
  { name, weight, secret, before }: CredentialInput,
): Promise<ProviderCredentialRow> {
  const now = clock.now();
  if (secret !== undefined) requireStepUp(actor, now);
  const id = before?.id ?? createId('crd', now);
  const version = (before?.version ?? 0) + (secret === undefined ? 0 : 1);
  const columns = {
    weight,
    updated_at: now,
    updated_by: actor.id,
    ...(secret !== undefined && {
      origin: binding.origin,
      last4: createCredentialHint(secret) ?? '',
      sealed: encryptSecret(secret, toCredentialSecretLocation({ org_id: orgId, id }, version), key),
      version,
      tested_at: null,
      test_json: null,
    }),
  };
  if (before) {
    await updateProviderCredential(writer, id, columns);
    return { ...before, ...columns };
  }
  const none = { last4: '', sealed: '', version, tested_at: null, test_json: null };
  const row = { id, org_id: orgId, name, created_at: now, ...binding, ...none, ...columns };
  await insertProviderCredential(writer, row);
  return row;
}

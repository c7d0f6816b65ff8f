import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import { appendAuditEntry } from '../store/audit-entries.ts';
import {
  ENCRYPTED_TABLES,
  type EncryptedTable,
  type EncryptedTextRow,
  listEncryptedTextsWithPrefix,
} from '../store/encrypted-texts.ts';
import { getSetting, storeSetting } from '../store/settings.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import { getEncryptedSecretPrefix } from './secrets.ts';

/** The setting with the ids of the lost keys, separated by commas. */
const LOST_KEYS_SETTING = 'lost_encryption_keys';

/** A secret that was encrypted with a lost key. */
export interface LostSecret extends EncryptedTextRow {
  readonly table: EncryptedTable;
}

/** Returns the ids of the key-encryption keys that are marked as lost. */
export async function listLostEncryptionKeyIds(reader: DatabaseReader): Promise<readonly string[]> {
  return (await getSetting(reader, LOST_KEYS_SETTING))?.split(',') ?? [];
}

/** Returns the secrets that are encrypted with the key-encryption key with this id. */
export async function listSecretsEncryptedWithKey(
  reader: DatabaseReader,
  keyId: string,
): Promise<LostSecret[]> {
  const found: LostSecret[] = [];
  for (const table of ENCRYPTED_TABLES) {
    const rows = await listEncryptedTextsWithPrefix(reader, table, getEncryptedSecretPrefix({ id: keyId }));
    for (const row of rows) found.push({ table, ...row });
  }
  return found;
}

/**
 * Marks a key-encryption key as lost, so that Floe starts without it. Does not change the secrets, so they can be
 * used again if the key is found. Floe does not use a resource with such a secret until a user enters the secret again.
 * Records the ids and names of the affected secrets, but not their values, in the audit log of each organization.
 */
export async function markEncryptionKeyLost(
  writer: DatabaseWriter,
  clock: Clock,
  keyId: string,
  secrets: readonly LostSecret[],
): Promise<void> {
  const known = await listLostEncryptionKeyIds(writer);
  await storeSetting(writer, LOST_KEYS_SETTING, [...new Set([...known, keyId])].join(','));
  const at = clock.now();
  for (const [orgId, own] of Map.groupBy(secrets, (secret) => secret.orgId))
    await appendAuditEntry(writer, {
      id: createId('aud', at),
      org_id: orgId,
      at,
      actor: 'cli',
      action: 'secrets.mark_key_lost',
      subject: keyId,
      before_json: null,
      after_json: JSON.stringify({
        secrets: own.map(({ table, rowId, name }) => ({ table, id: rowId, name })),
      }),
    });
}

import { FatalError } from '../core/fatal-error.ts';
import {
  ENCRYPTED_TABLES,
  type EncryptedTable,
  type EncryptedText,
  type EncryptedTextRow,
  getEncryptedTextPage,
  listEncryptionKeyIds,
  replaceEncryptedText,
} from '../store/encrypted-texts.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import { listLostEncryptionKeyIds } from './lost-encryption-keys.ts';
import {
  decryptOrNull,
  getEncryptedSecretPrefix,
  rewrapSecret,
  type SecretEncryptionKey,
} from './secrets.ts';

/**
 * The result for one table: how many secrets were re-encrypted because they used an older key, and how many
 * could not be decrypted.
 */
export interface RewrapResult {
  readonly table: EncryptedTable;
  readonly rewrapped: number;
  /** The number of secrets that no known key can decrypt. These secrets do not change. */
  readonly unreadable: number;
  /** The first unreadable secrets, at most `MAX_LISTED_SECRETS`. */
  readonly unreadableSecrets: readonly EncryptedTextRow[];
}

/** Maximum number of unreadable secrets that the result of a table lists. */
const MAX_LISTED_SECRETS = 100;

/**
 * Re-encrypts the data keys of all stored secrets with the current key-encryption key, in batches of limited
 * size. Can be stopped and repeated at any time, even while servers are running.
 */
export async function rewrapStoredSecrets(
  database: Pick<Database, 'read' | 'transaction'>,
  keys: { readonly secrets: SecretEncryptionKey; readonly turns: SecretEncryptionKey },
): Promise<RewrapResult[]> {
  const done: RewrapResult[] = [];
  for (const table of ENCRYPTED_TABLES)
    done.push(await rewrapTable(database, table, table === 'stored_responses' ? keys.turns : keys.secrets));
  return done;
}

async function rewrapTable(
  database: Pick<Database, 'read' | 'transaction'>,
  table: EncryptedTable,
  key: SecretEncryptionKey,
): Promise<RewrapResult> {
  let rewrapped = 0;
  let unreadable = 0;
  const unreadableSecrets: EncryptedTextRow[] = [];
  let after: readonly string[] | null = null;
  do {
    // Read outside the transaction, which delays all other writes. A text that has changed since is not replaced.
    const { texts, next } = await getEncryptedTextPage(database.read, table, after);
    const older = texts.filter(({ ciphertext }) => !ciphertext.startsWith(getEncryptedSecretPrefix(key)));
    if (older.length > 0)
      await database.transaction(async (writer) => {
        for (const text of older) {
          const replacement = rewrapText(text, key);
          if (replacement === null) {
            unreadable += 1;
            const { orgId, rowId, name } = text;
            if (unreadable <= MAX_LISTED_SECRETS) unreadableSecrets.push({ orgId, rowId, name });
          } else if (await replaceEncryptedText(writer, table, text, replacement)) rewrapped += 1;
        }
      });
    after = next;
  } while (after !== null);
  return { table, rewrapped, unreadable, unreadableSecrets };
}

function rewrapText({ ciphertext, ...place }: EncryptedText, key: SecretEncryptionKey): string | null {
  return decryptOrNull(() => rewrapSecret(ciphertext, place, key, key));
}

/**
 * Checks that the configuration contains every key-encryption key that a stored secret is encrypted with, except
 * keys that are marked as lost.
 *
 * @throws FatalError with the ids of the missing keys
 */
export async function requireKnownEncryptionKeys(
  writer: DatabaseWriter,
  { id, previousKeys = [] }: SecretEncryptionKey,
): Promise<void> {
  const known = new Set([id, ...previousKeys.map((key) => key.id)]);
  const lost = await listLostEncryptionKeyIds(writer);
  const missing = (await listEncryptionKeyIds(writer)).filter(
    (key) => !known.has(key) && !lost.includes(key),
  );
  if (missing.length === 0) return;
  throw new FatalError(
    `Floe cannot decrypt some stored secrets because FLOE_ENCRYPTION_KEYS does not contain all of their keys (missing key ids: ${missing.join(', ')}; configured key ids: ${[...known].join(', ')}). Append the missing keys to the comma-separated list, and start Floe again. After "floe secrets rewrap" has completed, you can remove the previous keys. If a key is lost, run "floe secrets mark-key-lost" with the id of the key.`,
  );
}

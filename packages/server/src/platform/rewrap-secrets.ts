import type { Database, DatabaseWriter } from '../store/ports.ts';
import {
  listEncryptionKeyIds,
  listTextsWithOtherPrefix,
  replaceSealedText,
  SEALED_TABLES,
  type SealedTable,
} from '../store/sealed-texts.ts';
import { StoreUnusableError } from '../store/store-unusable-error.ts';
import { getSealedPrefix, rewrapSecret, type SecretsKey, UnreadableSecretError } from './secrets.ts';

/** What became of the texts of a table that another key than the current one had encrypted. */
export interface RewrapResult {
  readonly table: SealedTable;
  readonly rewrapped: number;
  /** Texts that none of the known keys opens; they stay as they are. */
  readonly unreadable: number;
}

/**
 * Puts every stored secret under the current key-encryption key, a bounded batch per transaction: it may be stopped
 * at any moment and run again, also while servers work.
 */
export async function rewrapStoredSecrets(
  database: Pick<Database, 'transaction'>,
  keys: { readonly secrets: SecretsKey; readonly turns: SecretsKey },
): Promise<RewrapResult[]> {
  const done: RewrapResult[] = [];
  for (const table of SEALED_TABLES)
    done.push(await rewrapTable(database, table, table === 'stored_responses' ? keys.turns : keys.secrets));
  return done;
}

async function rewrapTable(
  database: Pick<Database, 'transaction'>,
  table: SealedTable,
  key: SecretsKey,
): Promise<RewrapResult> {
  let rewrapped = 0;
  let unreadable = 0;
  let after: { readonly orgId: string; readonly rowId: string } | null = null;
  while (true) {
    const last: typeof after = after;
    const batch = await database.transaction(async (writer) => {
      const texts = await listTextsWithOtherPrefix(writer, table, getSealedPrefix(key), last);
      for (const text of texts) {
        const replacement = rewrapText(text, key);
        if (replacement === null) unreadable += 1;
        else if (await replaceSealedText(writer, table, text, replacement)) rewrapped += 1;
      }
      return texts;
    });
    const end = batch.at(-1);
    if (!end) return { table, rewrapped, unreadable };
    after = end;
  }
}

function rewrapText(
  {
    sealed,
    ...place
  }: { readonly sealed: string; readonly orgId: string; readonly rowId: string; readonly version: number },
  key: SecretsKey,
): string | null {
  try {
    return rewrapSecret(sealed, place, key, key);
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}

/**
 * Holds the keys that are known against those that stored secrets need.
 *
 * @throws StoreUnusableError naming the keys that are missing by their ids
 */
export async function requireKnownKeys(
  writer: DatabaseWriter,
  { id, previousKeys = [] }: SecretsKey,
): Promise<void> {
  const known = new Set([id, ...previousKeys.map((key) => key.id)]);
  const missing = (await listEncryptionKeyIds(writer)).filter((key) => !known.has(key));
  if (missing.length === 0) return;
  throw new StoreUnusableError(
    `FLOE_ENCRYPTION_KEYS lacks ${missing.length === 1 ? 'a key' : 'keys'} that the stored secrets are encrypted with (missing key ids: ${missing.join(', ')}; configured key ids: ${[...known].join(', ')}). Add each previous key to the end of the comma-separated list, and start Floe again. When floe secrets rewrap has completed, you can remove the previous keys.`,
  );
}

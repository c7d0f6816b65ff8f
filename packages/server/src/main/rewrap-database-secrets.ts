import type { Environment } from '../config/environment.ts';
import { systemClock } from '../core/clock.ts';
import { createLog } from '../core/log.ts';
import { rewrapStoredSecrets } from '../platform/rewrap-secrets.ts';
import { deriveSecretEncryptionKey, deriveStoredResponsesKey } from '../platform/secrets.ts';
import { lockDataDir } from '../store/data-dir-lock.ts';
import { type DatabaseLocation, requireExistingDatabase } from '../store/database-backup.ts';
import { isPostgresUrl, openDatabase } from '../store/open-database.ts';
import { bindDatabaseToSecretKey, loadInstallationSecretKey } from '../store/secret-key.ts';

/**
 * Encrypts all stored secrets again with the first key. Each batch is one transaction, so servers
 * may use a PostgreSQL database at the same time. For SQLite, locks the data directory.
 */
export async function rewrapDatabaseSecrets(
  place: DatabaseLocation,
  { secretKey, encryptionKeys, logLevel }: Environment,
): Promise<string> {
  requireExistingDatabase(place);
  const lock = isPostgresUrl(place.url) ? null : lockDataDir(place.dataDir);
  try {
    const given = secretKey === undefined ? {} : { given: secretKey };
    const secret = loadInstallationSecretKey({ dataDir: place.dataDir, ...given });
    const { key } = secret;
    const parts = { log: createLog(logLevel), clock: systemClock, dataDir: place.dataDir };
    const database = await openDatabase(place.url, parts);
    try {
      await database.transaction((writer) => bindDatabaseToSecretKey(writer, secret));
      const keys = {
        secrets: deriveSecretEncryptionKey(key, encryptionKeys),
        turns: deriveStoredResponsesKey(key, encryptionKeys),
      };
      const tables = await rewrapStoredSecrets(database, keys);
      const lines = tables.map(
        ({ table, rewrapped, unreadable }) =>
          `${table}: ${rewrapped} re-encrypted with key ${table === 'stored_responses' ? keys.turns.id : keys.secrets.id}${unreadable > 0 ? `, ${unreadable} could not be decrypted with any configured key` : ''}`,
      );
      return lines.join('\n');
    } finally {
      await database.close();
    }
  } finally {
    lock?.release();
  }
}

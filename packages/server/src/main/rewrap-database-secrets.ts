import type { ServerEnvironment } from '../config/environment.ts';
import { systemClock } from '../core/clock.ts';
import { createLog } from '../core/log.ts';
import { type RewrapResult, rewrapStoredSecrets } from '../platform/rewrap-secrets.ts';
import { deriveStoredResponsesKey, deriveStoredSecretsKey } from '../platform/secrets.ts';
import { type DatabaseLocation, requireExistingDatabase } from '../store/database-backup.ts';
import { isPostgresUrl, openDatabase } from '../store/open-database.ts';
import { lockInstallation } from '../store/process-directories.ts';
import { bindDatabaseToSecretKey, loadInstallationSecretKey } from '../store/secret-key.ts';
import type { DatabaseCommandResult } from './database-command-result.ts';
import { formatSecretReference } from './mark-key-lost-command.ts';

/**
 * Encrypts all stored secrets again with the first key. Each batch is one transaction, so servers may use a
 * PostgreSQL database at the same time. For SQLite, locks the data directory. The `problem` of the result lists
 * the secrets that could not be decrypted.
 * @throws FatalError if the database does not exist or cannot be used
 */
export async function rewrapDatabaseSecrets(
  place: DatabaseLocation,
  { secretKey, encryptionKeys, logLevel }: ServerEnvironment,
): Promise<DatabaseCommandResult> {
  requireExistingDatabase(place);
  const lock = isPostgresUrl(place.url) ? null : lockInstallation(place.dataDir);
  try {
    const given = secretKey === undefined ? {} : { given: secretKey };
    const secret = loadInstallationSecretKey({ dataDir: place.dataDir, ...given });
    const { key } = secret;
    const parts = { log: createLog(logLevel), clock: systemClock, dataDir: place.dataDir };
    const database = await openDatabase(place.url, parts);
    try {
      await database.transaction((writer) => bindDatabaseToSecretKey(writer, secret));
      const keys = {
        secrets: deriveStoredSecretsKey(key, encryptionKeys),
        turns: deriveStoredResponsesKey(key, encryptionKeys),
      };
      const tables = await rewrapStoredSecrets(database, keys);
      const lines = tables.map(
        ({ table, rewrapped, unreadable }) =>
          `${table}: ${rewrapped} re-encrypted with key ${table === 'stored_responses' ? keys.turns.id : keys.secrets.id}${unreadable > 0 ? `, ${unreadable} could not be decrypted with any configured key` : ''}`,
      );
      return { text: lines.join('\n'), problem: describeUnreadableSecrets(tables) };
    } finally {
      await database.close();
    }
  } finally {
    lock?.release();
  }
}

function describeUnreadableSecrets(tables: readonly RewrapResult[]): string | null {
  const total = tables.reduce((sum, { unreadable }) => sum + unreadable, 0);
  if (total === 0) return null;
  const rows = tables.flatMap(({ table, unreadable, unreadableSecrets }) => {
    const more = unreadable - unreadableSecrets.length;
    const listed = unreadableSecrets.map((row) => formatSecretReference({ table, ...row }));
    return more === 0 ? listed : [...listed, `  ${table}: ${more} more`];
  });
  return [
    `None of the configured keys can decrypt these secrets (${total} in total), so they were not re-encrypted:`,
    ...rows,
    'Append the missing key to FLOE_ENCRYPTION_KEYS, and run "floe secrets rewrap" again. If the key is lost, run "floe secrets mark-key-lost" with the id of the key, and enter the secrets of channels and providers again. Stored responses and responses saved for the header Idempotency-Key cannot be recovered. Floe deletes them when they expire.',
  ].join('\n');
}

import { systemClock } from '../core/clock.ts';
import { FatalError } from '../core/fatal-error.ts';
import {
  type LostSecret,
  listSecretsEncryptedWithKey,
  markEncryptionKeyLost,
} from '../platform/lost-encryption-keys.ts';
import { deriveStoredSecretsKey } from '../platform/secrets.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/** The key to mark, and the configured keys. */
export interface MarkKeyLostCommandOptions {
  readonly keyId: string;
  readonly isDryRun: boolean;
  /** The installation's secret key. */
  readonly secretKey: Buffer;
  readonly encryptionKeys: readonly string[];
}

/**
 * Marks an encryption key as lost, unless it is a dry run. Returns the text that lists its secrets.
 * @throws FatalError if the key is configured, or no stored secret is encrypted with it
 */
export async function runMarkKeyLostCommand(
  writer: DatabaseWriter,
  { keyId, isDryRun, secretKey, encryptionKeys }: MarkKeyLostCommandOptions,
): Promise<string> {
  const { id, previousKeys = [] } = deriveStoredSecretsKey(secretKey, encryptionKeys);
  if ([id, ...previousKeys.map((key) => key.id)].includes(keyId))
    throw new FatalError(
      `The key ${keyId} is configured, so Floe can decrypt the secrets that are encrypted with this key. Use one of the missing key ids in the error message of the server.`,
    );
  const secrets = await listSecretsEncryptedWithKey(writer, keyId);
  if (secrets.length === 0)
    throw new FatalError(
      `No stored secret is encrypted with the key ${keyId}. Use one of the missing key ids in the error message of the server.`,
    );
  if (!isDryRun) await markEncryptionKeyLost(writer, systemClock, keyId, secrets);
  const heading = isDryRun
    ? `Would mark the key ${keyId} as lost. Secrets that Floe could not use without this key:`
    : `Marked the key ${keyId} as lost. Start the server, and enter the secrets of channels and providers again:`;
  return [heading, ...secrets.map(formatSecretReference)].join('\n');
}

/** Returns a line that describes a stored secret for the operator. */
export function formatSecretReference({ table, orgId, rowId, name }: LostSecret): string {
  return `  ${table}: org ${orgId}, id ${rowId}, name ${name}`;
}

import { Fault } from '@floe/contract/faults';
import { UnreadableSecretError } from '../platform/secrets.ts';
import { createInvalidInputFault } from './validate-input.ts';

/**
 * Returns the result of a function that decrypts a stored secret.
 * @throws Fault `conflict` if the secret cannot be decrypted, with the remedy
 */
export function requireReadableSecret<Result>(decrypt: () => Result): Result {
  try {
    return decrypt();
  } catch (error) {
    if (error instanceof UnreadableSecretError) throw new Fault('conflict', error.message);
    throw error;
  }
}

/**
 * Requires that a request contains every field whose stored secret cannot be decrypted. Otherwise, saving the request
 * would silently delete these secrets.
 * @throws Fault `invalid_request` with the name of the first missing field
 */
export function requireResendOfUnreadableSecrets(
  fields: readonly string[],
  isSent: (field: string) => boolean,
): void {
  const missing = fields.find((field) => !isSent(field));
  if (missing !== undefined)
    throw createInvalidInputFault({
      path: [missing],
      message:
        'must be sent again because the stored value cannot be decrypted; to remove an optional value, send null',
    });
}

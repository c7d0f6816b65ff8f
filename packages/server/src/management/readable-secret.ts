import { Fault } from '@floe/contract/faults';
import { UnreadableSecretError } from '../platform/secrets.ts';

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

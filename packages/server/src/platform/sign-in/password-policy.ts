import { hasPasswordLength, PASSWORD_LENGTH } from '@floe/contract/api/session';
import { Fault } from '@floe/contract/faults';
import { isCommonPassword } from './common-passwords.ts';
import { listEnabledSignInMethods, type SignInContext } from './sign-in-context.ts';

/**
 * The hash of a password that somebody chooses: the one place where passwords are set, and so the one policy for all of them
 * (NIST SP 800-63B, 5.1.1.2: length, and none of those that a guesser tries first). Null where passwords are switched off.
 *
 * @throws Fault `invalid_request` naming `password`
 */
export async function hashNewPassword(
  context: Pick<SignInContext, 'auth' | 'site' | 'hasher'>,
  password: string | undefined,
  email: string,
): Promise<string | null> {
  if (!listEnabledSignInMethods(context).password) return null;
  if (password === undefined) throw invalidPassword('is needed to sign in again');
  if (!hasPasswordLength(password))
    throw invalidPassword(`has ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`);
  if (isCommonPassword(password, email))
    throw invalidPassword(
      'is among the first that a guesser tries; several words that do not belong together are easy to keep and hard to guess',
    );
  return context.hasher.hash(password);
}

function invalidPassword(what: string): Fault {
  return new Fault('invalid_request', `password: ${what}`, { param: 'password' });
}

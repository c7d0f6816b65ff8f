import { hasValidPasswordLength, PASSWORD_LENGTH_LIMITS } from '@floe/contract/api/session';
import { Fault } from '@floe/contract/faults';
import { isCommonPassword } from './common-passwords.ts';
import { getEnabledSignInMethods, type SignInContext } from './sign-in-context.ts';

/**
 * Hashes a new password. Every password is set with this function, so that the same policy always
 * applies (NIST SP 800-63B, section 5.1.1.2: a minimum length, and no common passwords). Returns
 * null if passwords are disabled.
 *
 * @throws Fault `invalid_request` if the password is missing or does not comply with the policy
 */
export async function hashNewPassword(
  context: Pick<SignInContext, 'auth' | 'site' | 'hasher'>,
  password: string | undefined,
  email: string,
): Promise<string | null> {
  if (!getEnabledSignInMethods(context).password) return null;
  if (password === undefined) throw invalidPassword('is required');
  if (!hasValidPasswordLength(password))
    throw invalidPassword(
      `must be ${PASSWORD_LENGTH_LIMITS.min} to ${PASSWORD_LENGTH_LIMITS.max} characters long`,
    );
  if (isCommonPassword(password, email))
    throw invalidPassword('is too easy to guess; use several unrelated words');
  return context.hasher.hash(password);
}

function invalidPassword(what: string): Fault {
  return new Fault('invalid_request', `password: ${what}`, { param: 'password' });
}

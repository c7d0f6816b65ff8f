import { Fault } from '@floe/contract/faults';
import { findUserByEmail, findUserById, updateUser } from '../../store/members.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { auditFailedSignIn } from './audit-account-event.ts';
import {
  type BrowserRequest,
  createSignInFailedFault,
  getEnabledSignInMethods,
  runAuditedTransaction,
  type SignInContext,
  startConsoleSession,
} from './sign-in-context.ts';

interface PasswordCredentials {
  readonly email: string;
  readonly password: string;
}

/** The proof that a password for an account was verified. */
export interface PasswordProof {
  readonly userId: string;
  /**
   * Checks that the password has not changed since it was verified, and records the successful attempt. Must be
   * called in the transaction that relies on the proof.
   *
   * @throws Fault `sign_in_failed` if the password has changed
   */
  confirm(writer: DatabaseWriter): Promise<void>;
}

/**
 * Signs in with an email address and a password. Returns the cookie's value.
 *
 * @throws the faults of `verifyPassword`
 */
export async function signInWithPassword(
  context: SignInContext,
  given: PasswordCredentials,
  browser: BrowserRequest,
): Promise<string> {
  const { userId, confirm } = await verifyPassword(context, given, browser);
  const token = await runAuditedTransaction(context, browser, null, async (writer) => {
    await confirm(writer);
    return startConsoleSession(context, writer, { userId, method: 'password', isFresh: true }, browser);
  });
  context.sessions.clearCache();
  return token;
}

/**
 * Counts the attempt and verifies the password.
 *
 * @throws Fault `sign_in_failed`, with the same message and duration whether or not the account exists;
 * `too_many_attempts`; `not_found` if passwords are disabled
 */
export async function verifyPassword(
  context: SignInContext,
  given: PasswordCredentials,
  browser: BrowserRequest,
): Promise<PasswordProof> {
  const { database, clock, throttle, hasher } = context;
  requirePasswordsEnabled(context);
  const account = given.email.trim().toLowerCase();
  const attempt = { account, address: browser.address };
  const taken = await throttle.countAttempt(attempt);
  const user = await findUserByEmail(database.read, account);
  const stored = user?.password_hash ?? null;
  const isGood = await hasher.verify(given.password, stored);
  if (!user || stored === null || !isGood) {
    const told = { method: 'password', address: browser.address, paused_ms: taken.pausedMs };
    await runAuditedTransaction(context, browser, null, (writer) =>
      auditFailedSignIn(writer, clock, user?.id ?? null, told),
    );
    throw createSignInFailedFault();
  }
  const renewed = hasher.isOutdated(stored) ? await hasher.hash(given.password) : stored;
  return {
    userId: user.id,
    async confirm(writer) {
      if ((await findUserById(writer, user.id))?.password_hash !== stored) throw createSignInFailedFault();
      if (renewed !== stored) await updateUser(writer, user.id, { password_hash: renewed });
      await throttle.recordSuccess(writer, attempt, taken);
    },
  };
}

/**
 * Requires that password sign-in is enabled.
 * @throws Fault `not_found` if it is disabled
 */
export function requirePasswordsEnabled(context: Pick<SignInContext, 'auth' | 'site'>): void {
  if (getEnabledSignInMethods(context).password) return;
  const reason = context.auth().password
    ? 'this Node.js version does not support Argon2'
    : 'auth.password is false in floe.yaml';
  throw new Fault('not_found', `Sign-in with a password is disabled: ${reason}. Use another sign-in method.`);
}

import type { PasskeyAssertion } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import { deleteConsoleSessionsOfUser } from '../../store/console-sessions.ts';
import { findUserById, updateUser } from '../../store/members.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { auditAccountEvent, auditFailedSignIn } from './audit-account-event.ts';
import { type ActiveConsoleSession, STEP_UP_WINDOW_MS } from './console-sessions.ts';
import { consumePasskeyAssertion, verifyPasskeyAssertion } from './passkeys.ts';
import { hashNewPassword } from './password-policy.ts';
import { requirePasswordsEnabled } from './password-sign-in.ts';
import {
  createSessionExpiredFault,
  requireActiveSession,
  requireSessionForCredentialChange,
  runSessionTransaction,
} from './session-changes.ts';
import {
  type BrowserRequest,
  createSignInFailedFault,
  runAuditedTransaction,
  type SignInContext,
} from './sign-in-context.ts';

/** A password or a passkey assertion from the signed-in user. */
export interface StepUpProof {
  readonly password?: string | undefined;
  readonly passkey?: PasskeyAssertion | undefined;
}

/**
 * Authenticates the signed-in user again. Actions that require step-up are then allowed for ten
 * minutes. Returns the cookie's new value.
 *
 * @throws Fault `session_expired`, `sign_in_failed`, `too_many_attempts`
 */
export async function stepUpSession(
  context: SignInContext,
  browser: BrowserRequest,
  proof: StepUpProof,
): Promise<string> {
  const { clock, throttle, sessions } = context;
  const { live, token } = await requireActiveSession(context, browser);
  const attempt = { account: live.user.email, address: browser.address };
  const taken = await throttle.countAttempt(attempt);
  let use: (writer: DatabaseWriter) => Promise<void>;
  try {
    use = await verifyProof(context, live, proof);
  } catch (error) {
    if (error instanceof Fault && error.code === 'sign_in_failed') {
      const told = { method: 'step-up', address: browser.address, paused_ms: taken.pausedMs };
      await runAuditedTransaction(context, browser, live, (writer) =>
        auditFailedSignIn(writer, clock, live.user.id, told),
      );
    }
    throw error;
  }
  const next = await runSessionTransaction(context, browser, live, async (writer) => {
    await use(writer);
    await throttle.recordSuccess(writer, attempt, taken);
    await auditAccountEvent(writer, clock, {
      orgId: live.membership.org.id,
      actor: live.membership.memberId,
      action: 'sessions.step_up',
      subject: live.id,
      after: { method: proof.passkey ? 'passkey' : 'password', address: browser.address },
    });
    return replaceCookie(context, writer, token, clock.now() + STEP_UP_WINDOW_MS);
  });
  sessions.clearCache();
  return next;
}

/** Verifies the proof. Returns what must run in the transaction that relies on it. */
async function verifyProof(
  context: SignInContext,
  { user }: ActiveConsoleSession,
  { password, passkey }: StepUpProof,
): Promise<(writer: DatabaseWriter) => Promise<void>> {
  if (passkey) {
    const shown = await verifyPasskeyAssertion(context, context.database.read, passkey);
    if (shown.row.user_id !== user.id)
      throw createSignInFailedFault(
        'This passkey belongs to another account. Use a passkey of the account that you are signed in to.',
      );
    return (writer) => consumePasskeyAssertion(context, writer, shown);
  }
  requirePasswordsEnabled(context);
  const stored = (await findUserById(context.database.read, user.id))?.password_hash ?? null;
  if (!(await context.hasher.verify(password ?? '', stored)))
    throw createSignInFailedFault('The password is incorrect.');
  return async () => undefined;
}

/**
 * Sets a new password for the signed-in user after a step-up, and ends all other sessions. Returns
 * the cookie's new value.
 *
 * @throws the faults of `requireSessionForCredentialChange`; `invalid_request` for an unacceptable password;
 * `not_found` if passwords are disabled
 */
export async function replaceOwnPassword(
  context: SignInContext,
  browser: BrowserRequest,
  password: string,
): Promise<string> {
  const { database, clock, sessions } = context;
  requirePasswordsEnabled(context);
  const { live, token } = await requireSessionForCredentialChange(context, browser);
  const password_hash = await hashNewPassword(context, password, live.user.email);
  const next = await runSessionTransaction(context, browser, live, async (writer) => {
    await updateUser(writer, live.user.id, { password_hash, updated_at: clock.now() });
    await deleteConsoleSessionsOfUser(writer, live.user.id, live.id);
    for (const { org, memberId } of live.memberships)
      await auditAccountEvent(writer, clock, {
        orgId: org.id,
        actor: memberId,
        action: 'password.update',
        subject: memberId,
      });
    await database.signals.announce(writer);
    return replaceCookie(context, writer, token, live.steppedUpUntil);
  });
  sessions.clearCache();
  return next;
}

/** @throws Fault `session_expired` if another request has replaced the cookie, so that nothing changes */
async function replaceCookie(
  { sessions }: Pick<SignInContext, 'sessions'>,
  writer: DatabaseWriter,
  token: string,
  steppedUpUntil: number,
): Promise<string> {
  const next = await sessions.rotate(writer, token, { stepped_up_until: steppedUpUntil });
  if (next === null) throw createSessionExpiredFault();
  return next;
}

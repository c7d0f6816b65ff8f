import type { PasskeyAssertion } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import { auditFailedSignIn } from './audit-account-event.ts';
import { consumePasskeyAssertion, requirePasskeyRelyingParty, verifyPasskeyAssertion } from './passkeys.ts';
import {
  type BrowserRequest,
  runAuditedTransaction,
  type SignInContext,
  startConsoleSession,
} from './sign-in-context.ts';

/**
 * Signs in with a passkey. Returns the value of the session cookie.
 * @throws Fault `sign_in_failed`, `too_many_attempts`; `not_found` if passkeys are disabled
 */
export async function signInWithPasskey(
  context: SignInContext,
  assertion: PasskeyAssertion,
  browser: BrowserRequest,
): Promise<string> {
  const { database, clock, throttle } = context;
  requirePasskeyRelyingParty(context);
  const attempt = { account: null, address: browser.address };
  const taken = await throttle.countAttempt(attempt);
  try {
    const shown = await verifyPasskeyAssertion(context, database.read, assertion);
    const token = await runAuditedTransaction(context, browser, null, async (writer) => {
      await consumePasskeyAssertion(context, writer, shown);
      await throttle.recordSuccess(writer, attempt, taken);
      const { user_id: userId, id: passkeyId } = shown.row;
      return startConsoleSession(
        context,
        writer,
        { userId, method: 'passkey', passkeyId, isFresh: true },
        browser,
      );
    });
    context.sessions.clearCache();
    return token;
  } catch (error) {
    if (error instanceof Fault && error.code === 'sign_in_failed') {
      const told = { method: 'passkey', address: browser.address, paused_ms: taken.pausedMs };
      await runAuditedTransaction(context, browser, null, (writer) =>
        auditFailedSignIn(writer, clock, null, told),
      );
    }
    throw error;
  }
}

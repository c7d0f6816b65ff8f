import { Fault } from '@floe/contract/faults';
import { deleteConsoleSessionByToken, findConsoleSessionById } from '../../store/console-sessions.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import type { ActiveConsoleSession } from './console-sessions.ts';
import { type BrowserRequest, runAuditedTransaction, type SignInContext } from './sign-in-context.ts';
import { computeSha256Hex } from './tokens.ts';

/**
 * Returns the browser's session and the value of its cookie.
 * @throws Fault `session_expired` if the browser has no active session
 */
export async function requireActiveSession(
  { sessions }: Pick<SignInContext, 'sessions'>,
  browser: BrowserRequest,
): Promise<{ readonly live: ActiveConsoleSession; readonly token: string }> {
  const live = browser.token === null ? null : await sessions.find(browser.token, browser.isUse);
  if (!live || browser.token === null) throw createSessionExpiredFault();
  return { live, token: browser.token };
}

/**
 * Returns the browser's session if it may add or replace credentials. The session needs a recent
 * step-up, so that a person who finds an unlocked browser cannot gain lasting access. The session must
 * also have every role that the credentials would give access to.
 *
 * @throws Fault `session_expired`, `step_up_required`, `insufficient_role`
 */
export async function requireSessionForCredentialChange(context: SignInContext, browser: BrowserRequest) {
  const { live, token } = await requireActiveSession(context, browser);
  if (live.steppedUpUntil <= context.clock.now())
    throw new Fault(
      'step_up_required',
      'This operation requires a step-up. Confirm your identity again, then repeat the request.',
    );
  if (live.hasAllRoles) return { live, token };
  throw new Fault(
    'insufficient_role',
    `Some of your roles come from a different identity provider than the one that you signed in with${live.issuer === null ? '' : ` (${live.issuer})`}. To change your sign-in methods, sign in with the other identity provider, a password or a passkey.`,
  );
}

/**
 * Runs a transaction of a request that relies on a session. The session was read earlier, and can have ended
 * since: in this process while a password was hashed, and in another process up to two seconds ago.
 *
 * @throws Fault `session_expired` if the session has ended
 */
export function runSessionTransaction<T>(
  context: Pick<SignInContext, 'database'>,
  browser: BrowserRequest,
  live: ActiveConsoleSession,
  work: (writer: DatabaseWriter) => Promise<T>,
): Promise<T> {
  return runAuditedTransaction(context, browser, live, async (writer) => {
    if (!(await isSessionStored(writer, live))) throw createSessionExpiredFault();
    return work(writer);
  });
}

/** Returns whether a session that was read earlier has not ended since. */
export async function isSessionStored(
  reader: DatabaseReader,
  { id, user }: ActiveConsoleSession,
): Promise<boolean> {
  return (await findConsoleSessionById(reader, id))?.user_id === user.id;
}

/** Creates the fault for a request whose session has expired or was ended. */
export function createSessionExpiredFault(): Fault {
  return new Fault('session_expired', 'You are signed out because your session ended. Sign in again.');
}

/**
 * Switches the session to another of the user's organizations. Returns the value of the new cookie. Records only the new
 * organization, because its members must not learn which other organizations the user belongs to.
 *
 * @throws Fault `session_expired`; `not_found` for an organization that the user does not belong
 * to, whether or not it exists
 */
export async function switchOrg(
  context: SignInContext,
  browser: BrowserRequest,
  orgId: string,
): Promise<string> {
  const { live, token } = await requireActiveSession(context, browser);
  const at = live.memberships.find(({ org }) => org.id === orgId);
  if (!at)
    throw new Fault('not_found', 'You are not a member of an organization with this id.', {
      param: 'org_id',
    });
  const next = await runAuditedTransaction(context, browser, live, async (writer) => {
    const rotated = await context.sessions.rotate(writer, token, { org_id: orgId, role: at.role });
    if (rotated !== null && orgId !== live.membership.org.id)
      await auditAccountEvent(writer, context.clock, {
        orgId,
        actor: at.memberId,
        action: 'sessions.switch_org',
        subject: live.id,
      });
    return rotated;
  });
  context.sessions.clearCache();
  if (next === null) throw createSessionExpiredFault();
  return next;
}

/** Signs the browser out. Does nothing if it has no session. */
export async function endBrowserSession(context: SignInContext, browser: BrowserRequest): Promise<void> {
  const { database, clock, sessions } = context;
  const { token } = browser;
  if (token === null) return;
  const live = await sessions.find(token);
  await runAuditedTransaction(context, browser, live, async (writer) => {
    const ended = await deleteConsoleSessionByToken(writer, computeSha256Hex(token));
    if (!ended) return;
    await auditAccountEvent(writer, clock, {
      orgId: ended.org_id,
      actor: live?.membership.memberId ?? ended.user_id,
      action: 'sessions.delete',
      subject: ended.id,
    });
    await database.signals.announce(writer);
  });
  sessions.clearCache();
}

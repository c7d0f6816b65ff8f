import { Fault } from '@floe/contract/faults';
import { createId } from '../../core/ids.ts';
import { findUserByEmail, insertUser, updateUser } from '../../store/members.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { acceptInvitation, type InvitationDetails, requireInvitationDetails } from '../invitations.ts';
import { isAccountWithoutOrg, replaceAccountCredentials } from './account-credentials.ts';
import type { ActiveConsoleSession } from './console-sessions.ts';
import { hashNewPassword } from './password-policy.ts';
import { verifyPassword } from './password-sign-in.ts';
import { createSessionExpiredFault, isSessionStored } from './session-changes.ts';
import {
  type AuthenticatedUser,
  type BrowserRequest,
  createSignInFailedFault,
  getEnabledSignInMethods,
  runAuditedTransaction,
  type SignInContext,
  startConsoleSession,
} from './sign-in-context.ts';

/**
 * Returns what an invitation's page shows.
 * @throws Fault `not_found` if the invitation is not valid
 */
export function previewInvitation(context: SignInContext, token: string): Promise<InvitationDetails> {
  return requireInvitationDetails(context.database.read, token, context.clock.now());
}

/**
 * Accepts an invitation and signs in to its organization. Returns the cookie's value. Creates an
 * account if the invited address has none. If it has an account, the person must prove with its
 * password or a session that the account is theirs. An account that belongs to no organization gives
 * access to nothing. No proof is needed for it, and the invitation replaces its credentials.
 *
 * @throws Fault `not_found` if the invitation is not valid, `sign_in_failed`, `too_many_attempts`,
 * `conflict`; `invalid_request` for an unacceptable password
 */
export async function acceptInvitationAndSignIn(
  context: SignInContext,
  given: {
    readonly token: string;
    readonly name?: string | undefined;
    readonly password?: string | undefined;
  },
  browser: BrowserRequest,
): Promise<string> {
  const { database, clock } = context;
  const { email } = await previewInvitation(context, given.token);
  const known = await findUserByEmail(database.read, email);
  if (known && !(await isAccountWithoutOrg(database.read, known.id)))
    return joinAs(context, given, { id: known.id, email }, browser);
  const hash = await hashNewPassword(context, given.password, email);
  const { name } = given;
  if (name === undefined)
    throw new Fault('invalid_request', 'name: is required for a new account', { param: 'name' });
  return completeAcceptance(context, given.token, browser, async (writer) => {
    const now = clock.now();
    if (known) {
      if (!(await isAccountWithoutOrg(writer, known.id)))
        throw createSignInFailedFault(
          `${email} already has an account. Sign in to this account, then open the link again.`,
        );
      await replaceAccountCredentials(context, writer, known.id, hash);
      await updateUser(writer, known.id, { name });
      return { userId: known.id };
    }
    const id = createId('usr', now);
    const times = { created_at: now, updated_at: now };
    await insertUser(writer, { id, email, name, password_hash: hash, preferences_json: null, ...times });
    return { userId: id };
  });
}

async function joinAs(
  context: SignInContext,
  given: { readonly token: string; readonly password?: string | undefined },
  user: { readonly id: string; readonly email: string },
  browser: BrowserRequest,
): Promise<string> {
  const live = browser.token === null ? null : await context.sessions.find(browser.token);
  if (live?.user.id === user.id)
    return completeAcceptance(context, given.token, browser, async (writer) => {
      if (!(await isSessionStored(writer, live))) throw createSessionExpiredFault();
      return continueSession(live);
    });
  const { password } = given;
  if (password === undefined || !getEnabledSignInMethods(context).password)
    throw createSignInFailedFault(
      `${user.email} already has an account. Sign in to this account, then open the link again.`,
    );
  const { confirm } = await verifyPassword(context, { email: user.email, password }, browser);
  return completeAcceptance(context, given.token, browser, async (writer) => {
    await confirm(writer);
    return { userId: user.id };
  });
}

/** The user who accepts an invitation, and how their existing session was started. */
type InvitationAccepter = Pick<AuthenticatedUser, 'userId' | 'issuer' | 'passkeyId'> & {
  readonly live?: ActiveConsoleSession;
};

/** The new session keeps the restrictions of the existing one: the same roles, and no step-up. */
function continueSession(live: ActiveConsoleSession): InvitationAccepter {
  const { user, issuer, passkeyId } = live;
  return {
    userId: user.id,
    live,
    ...(issuer !== null && { issuer }),
    ...(passkeyId !== null && { passkeyId }),
  };
}

async function completeAcceptance(
  context: SignInContext,
  token: string,
  browser: BrowserRequest,
  who: (writer: DatabaseWriter) => Promise<InvitationAccepter>,
): Promise<string> {
  const { database, clock, sessions } = context;
  const value = await runAuditedTransaction(context, browser, null, async (writer) => {
    const { live, ...taker } = await who(writer);
    const { org_id } = await acceptInvitation(writer, { token, userId: taker.userId, nowMs: clock.now() });
    await database.signals.announce(writer);
    const isFresh = live === undefined || live.steppedUpUntil > clock.now();
    const method = live?.method ?? 'invitation';
    return startConsoleSession(context, writer, { ...taker, method, orgId: org_id, isFresh }, browser);
  });
  sessions.clearCache();
  return value;
}

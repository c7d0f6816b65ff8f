import { createId } from '../../core/ids.ts';
import { listMembershipsWithRoles } from '../../store/console-sessions.ts';
import { findIdentity } from '../../store/identities.ts';
import { findUserByEmail, insertUser } from '../../store/members.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { markTokenUsed } from '../../store/used-tokens.ts';
import { type GroupMappedMembership, mapGroupsToMemberships } from '../group-mapping.ts';
import {
  isAccountWithoutOrg,
  linkAccountIdentity,
  replaceAccountCredentials,
} from './account-credentials.ts';
import { auditFailedSignIn } from './audit-account-event.ts';
import type { ActiveConsoleSession } from './console-sessions.ts';
import { STEP_UP_WINDOW_MS } from './console-sessions.ts';
import { applyGroupGrants } from './group-grants.ts';
import {
  completeOidcFlow,
  decryptOidcFlow,
  OIDC_FLOW_TTL_MS,
  type OidcFlow,
  OidcSignInError,
  requireOidcIssuer,
} from './oidc-flow.ts';
import type { OidcProfile } from './oidc-profile.ts';
import { isSessionStored } from './session-changes.ts';
import { listSessionMemberships } from './session-memberships.ts';
import {
  type BrowserRequest,
  runAuditedTransaction,
  type SignInContext,
  startConsoleSession,
} from './sign-in-context.ts';
import { computeSha256Hex } from './tokens.ts';

/** The browser's callback request. */
export interface OidcCallback {
  /** The query of the callback. */
  readonly query: Readonly<Record<string, string>>;
  /** The encrypted state that the browser stored. */
  readonly encryptedFlow: string | null;
}

/**
 * Completes a sign-in with an issuer. Returns the cookie's value and the path that the user wanted
 * to open. A callback for a sign-in that this browser did not start is not counted as a failed
 * attempt, because any web page can trigger such a callback.
 *
 * @throws OidcSignInError; Fault `not_found`, `too_many_attempts`
 */
export async function completeOidcSignIn(
  context: SignInContext,
  name: string,
  answer: OidcCallback,
  browser: BrowserRequest,
): Promise<{ readonly token: string; readonly returnTo: string }> {
  const { database, clock, throttle } = context;
  const oidc = requireOidcIssuer(context, name);
  const kept = decryptOidcFlow(context, name, answer);
  const live = browser.token === null ? null : await context.sessions.find(browser.token);
  const attempt = { account: null, address: browser.address };
  const taken = await throttle.countAttempt(attempt);
  try {
    // Consumed before the code, so that only one of two concurrent requests continues.
    const isFirst = await database.transaction((writer) =>
      markTokenUsed(writer, computeSha256Hex(kept.state), clock.now() + OIDC_FLOW_TTL_MS),
    );
    if (!isFirst)
      throw new OidcSignInError(
        'expired',
        'This sign-in response was already used. Start the sign-in again.',
      );
    const person = await completeOidcFlow(context, oidc, kept, answer.query);
    const places = mapGroupsToMemberships(oidc, person.groups);
    const token = await runAuditedTransaction(context, browser, live, async (writer) => {
      // The session can have ended while the issuer answered.
      const current = live && (await isSessionStored(writer, live)) ? live : null;
      const coming = { profile: person, memberships: places, name, live: current, kept };
      const userId = await resolveUser(context, writer, coming);
      await applyGroupGrants(context, writer, { userId, issuer: name }, places);
      await database.signals.announce(writer);
      // Still committed, so that a user who lost their last group is signed out immediately.
      if (listSessionMemberships(await listMembershipsWithRoles(writer, userId, name), name).length === 0)
        return null;
      await throttle.recordSuccess(writer, attempt, taken);
      const isFresh =
        person.authenticatedAt !== null && clock.now() - person.authenticatedAt < STEP_UP_WINDOW_MS;
      // A step-up keeps the organization of the session.
      const at = live && { orgId: live.membership.org.id };
      return startConsoleSession(
        context,
        writer,
        { userId, method: 'oidc', issuer: name, isFresh, ...at },
        browser,
      );
    });
    context.sessions.clearCache();
    if (token === null) throw notAllowedError();
    return { token, returnTo: kept.return_to };
  } catch (error) {
    const told = { method: `oidc ${name}`, address: browser.address, paused_ms: taken.pausedMs };
    await runAuditedTransaction(context, browser, live, (writer) =>
      auditFailedSignIn(writer, clock, null, told),
    );
    throw error;
  }
}

interface OidcSignIn {
  readonly profile: OidcProfile;
  readonly memberships: readonly GroupMappedMembership[];
  /** Name of the issuer in `auth.oidc`. */
  readonly name: string;
  /** The session of the browser. */
  readonly live: ActiveConsoleSession | null;
  readonly kept: OidcFlow;
}

/**
 * Finds the account: the one with this identity, or the one with the verified address, or a new one. An
 * unverified address matches and creates no account.
 *
 * @throws OidcSignInError
 */
async function resolveUser(
  context: SignInContext,
  writer: DatabaseWriter,
  coming: OidcSignIn,
): Promise<string> {
  const { profile, live, kept } = coming;
  const known = await findIdentity(writer, profile.issuer, profile.subject);
  if (kept.step_up && (!live || known?.user_id !== live.user.id))
    throw new OidcSignInError(
      'account_mismatch',
      'You signed in to the identity provider as a different person. Sign in to the identity provider with the account that you use in Floe, or sign out of Floe first.',
    );
  if (known) return known.user_id;
  const { email, isVerified } = profile;
  if (email === null)
    throw new OidcSignInError(
      'email_not_verified',
      'The identity provider returned no valid email address. Add an email address to the account at the identity provider.',
    );
  if (!isVerified)
    throw new OidcSignInError(
      'email_not_verified',
      'The identity provider has not verified the email address. Verify the address at the identity provider, then sign in again.',
    );
  const user = await findUserByEmail(writer, email);
  return user ? joinAccount(context, writer, user.id, coming) : createAccount(context, writer, email, coming);
}

/**
 * Links an identity to an existing account. Requires the verified address and a fresh session of the
 * account in this browser. An account without organization protects nothing, so there the identity replaces
 * its credentials.
 */
async function joinAccount(
  context: SignInContext,
  writer: DatabaseWriter,
  userId: string,
  coming: OidcSignIn,
): Promise<string> {
  const { profile, name, live } = coming;
  const isProven = live?.user.id === userId && live.hasAllRoles && live.steppedUpUntil > context.clock.now();
  if (!isProven) {
    if (!(await isAccountWithoutOrg(writer, userId)))
      throw new OidcSignInError(
        'account_exists',
        'An account with this email address exists but is not connected to this identity provider. Sign in with another method, then connect the identity provider in your account settings.',
      );
    requireMembership(coming);
    await replaceAccountCredentials(context, writer, userId, null);
  }
  await linkAccountIdentity(context, writer, userId, {
    issuer: profile.issuer,
    subject: profile.subject,
    name,
  });
  return userId;
}

async function createAccount(
  context: SignInContext,
  writer: DatabaseWriter,
  email: string,
  coming: OidcSignIn,
): Promise<string> {
  const { profile, name } = coming;
  requireMembership(coming);
  const now = context.clock.now();
  const id = createId('usr', now);
  const times = { created_at: now, updated_at: now };
  await insertUser(writer, {
    id,
    email,
    name: profile.name,
    password_hash: null,
    preferences_json: null,
    ...times,
  });
  await linkAccountIdentity(context, writer, id, { issuer: profile.issuer, subject: profile.subject, name });
  return id;
}

function requireMembership({ memberships }: OidcSignIn): void {
  if (memberships.length === 0) throw notAllowedError();
}

function notAllowedError(): OidcSignInError {
  return new OidcSignInError(
    'not_allowed',
    "None of this person's groups gives access to an organization. Map one of the groups to a role in auth.oidc[].map. If the person was removed from the organization, undo the removal first: run floe removed-members restore <user-id>.",
  );
}

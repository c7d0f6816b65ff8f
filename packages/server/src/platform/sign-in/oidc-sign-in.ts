import { newId } from '../../core/ids.ts';
import { listMembershipAccess } from '../../store/console-sessions.ts';
import { findIdentity } from '../../store/identities.ts';
import { findUserByEmail, insertUser } from '../../store/members.ts';
import type { DatabaseWriter } from '../../store/ports.ts';
import { markTokenUsed } from '../../store/used-tokens.ts';
import { mapGroupsToMemberships } from '../group-mapping.ts';
import { isUnclaimedAccount, linkIdentity, replaceAccountCredentials } from './account-credentials.ts';
import { auditFailedSignIn } from './audit-sign-in.ts';
import { applyGroupGrants, type GrantedMembership } from './group-grants.ts';
import {
  completeOidcFlow,
  OIDC_FLOW_TTL_MS,
  type OidcFlow,
  type OidcProfile,
  OidcSignInError,
  openOidcFlow,
  requireIssuer,
} from './oidc-flow.ts';
import { sessionMemberships } from './session-memberships.ts';
import type { ActiveSession } from './sessions.ts';
import { STEP_UP_MS } from './sessions.ts';
import {
  auditedTransaction,
  type BrowserRequest,
  type SignInContext,
  startSession,
} from './sign-in-context.ts';
import { sha256 } from './tokens.ts';

/** What came back with the browser. */
export interface OidcCallback {
  /** Query of the callback. */
  readonly query: Readonly<Record<string, string>>;
  /** What the browser kept. */
  readonly sealed: string | null;
}

/**
 * Ends a sign-in by an issuer; returns the value of the cookie and where the person wanted to go. An answer that this
 * browser did not ask for counts as no attempt: any page can send browsers here.
 *
 * @throws OidcSignInError; Fault `not_found`, `too_many_attempts`
 */
export async function startOidcSession(
  context: SignInContext,
  name: string,
  answer: OidcCallback,
  browser: BrowserRequest,
): Promise<{ readonly token: string; readonly returnTo: string }> {
  const { database, clock, throttle } = context;
  const oidc = requireIssuer(context, name);
  const kept = openOidcFlow(context, name, answer);
  const live = browser.token === null ? null : await context.sessions.find(browser.token);
  const trier = { account: null, address: browser.address };
  const taken = await throttle.countAttempt(trier);
  try {
    // Used up before the code is: of two at once one goes on.
    const isFirst = await database.transaction((writer) =>
      markTokenUsed(writer, sha256(kept.state), clock.now() + OIDC_FLOW_TTL_MS),
    );
    if (!isFirst)
      throw new OidcSignInError('expired', 'this sign-in response of the issuer was already used');
    const person = await completeOidcFlow(context, oidc, kept, answer.query);
    const places = mapGroupsToMemberships(oidc, person.groups);
    const token = await auditedTransaction(context, browser, live, async (writer) => {
      const userId = await resolveUser(context, writer, {
        profile: person,
        memberships: places,
        name,
        live,
        kept,
      });
      await applyGroupGrants(context, writer, { userId, issuer: name }, places);
      await database.signals.announce(writer);
      // Committed all the same: who lost their last group is out at once.
      if (sessionMemberships(await listMembershipAccess(writer, userId, name), name).length === 0)
        return null;
      await throttle.recordSuccess(writer, trier, taken);
      const isFresh = person.authenticatedAt !== null && clock.now() - person.authenticatedAt < STEP_UP_MS;
      // Whoever confirms who they are stays in the org they were in.
      const at = live && { orgId: live.membership.org.id };
      return startSession(context, writer, { userId, method: 'oidc', issuer: name, isFresh, ...at }, browser);
    });
    context.sessions.clearCache();
    if (token === null) throw notAllowedError();
    return { token, returnTo: kept.return_to };
  } catch (error) {
    const told = { method: `oidc ${name}`, address: browser.address, paused_ms: taken.pausedMs };
    await auditedTransaction(context, browser, live, (writer) =>
      auditFailedSignIn(writer, clock, null, told),
    );
    throw error;
  }
}

interface OidcSignIn {
  readonly profile: OidcProfile;
  readonly memberships: readonly GrantedMembership[];
  /** Of the issuer, in `auth.oidc`. */
  readonly name: string;
  /** Of the browser. */
  readonly live: ActiveSession | null;
  readonly kept: OidcFlow;
}

/**
 * Whose account it is: the one this identity belongs to, else the one with the address that the issuer vouches for, else a
 * new one. An address that the issuer does not vouch for opens and creates nothing.
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
      'the issuer identified a different person than the one who is signed in',
    );
  if (known) return known.user_id;
  const { email, isVerified } = profile;
  if (email === null)
    throw new OidcSignInError('email_not_verified', 'the issuer returned no valid email address');
  if (!isVerified)
    throw new OidcSignInError('email_not_verified', 'the issuer has not verified the email address');
  const user = await findUserByEmail(writer, email);
  return user ? joinAccount(context, writer, user.id, coming) : createAccount(context, writer, email, coming);
}

/**
 * Joining needs a proof of both sides: the issuer's word for the address, and a fresh session of the account in this browser.
 * An account that belongs to no org has nothing to protect; there the issuer's word replaces what proved it before.
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
    if (!(await isUnclaimedAccount(writer, userId)))
      throw new OidcSignInError(
        'account_exists',
        'an account with this email address exists, and its owner has not confirmed the connection',
      );
    requireMembership(coming);
    await replaceAccountCredentials(context, writer, userId, null);
  }
  await linkIdentity(context, writer, userId, { issuer: profile.issuer, subject: profile.subject, name });
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
  const id = newId('usr', now);
  const times = { created_at: now, updated_at: now };
  await insertUser(writer, {
    id,
    email,
    name: profile.name,
    password_hash: null,
    preferences_json: null,
    ...times,
  });
  await linkIdentity(context, writer, id, { issuer: profile.issuer, subject: profile.subject, name });
  return id;
}

function requireMembership({ memberships }: OidcSignIn): void {
  if (memberships.length === 0) throw notAllowedError();
}

function notAllowedError(): OidcSignInError {
  return new OidcSignInError('not_allowed', 'no group of this person is mapped to an organization');
}

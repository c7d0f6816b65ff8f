import type { KeyObject } from 'node:crypto';
import type { SignInMethod } from '@floe/contract/api/session';
import type { FloeConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { setAuditOrigin } from '../../store/audit-context.ts';
import { deleteConsoleSessionByToken, listMembershipAccess } from '../../store/console-sessions.ts';
import type { Database, DatabaseWriter } from '../../store/ports.ts';
import type { SecretsKey } from '../secrets.ts';
import { auditSignIn } from './audit-sign-in.ts';
import type { OidcIssuers } from './oidc-issuer.ts';
import { canHashPasswords, type PasswordHasher } from './password-hash.ts';
import { sessionMemberships } from './session-memberships.ts';
import type { ActiveSession, ConsoleSessions } from './sessions.ts';
import type { Site } from './site.ts';
import type { SignInThrottle } from './throttle.ts';
import { sha256 } from './tokens.ts';

/** What every way to sign in stands on. */
export interface SignInContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly sessions: ConsoleSessions;
  readonly throttle: SignInThrottle;
  readonly hasher: PasswordHasher;
  /** `deriveChallengeKey` of the installation's secret key. */
  readonly challengeKey: KeyObject;
  /** `deriveSignInKey` of it. */
  readonly sealingKey: SecretsKey;
  readonly issuers: OidcIssuers;
  /** As floe.yaml says it now. */
  readonly auth: () => FloeConfig['auth'];
  readonly site: () => Site;
}

/** The browser that asks. */
export interface BrowserRequest {
  readonly address: string;
  readonly agent: string;
  /** Value of the session cookie it sent, good or not; null for none. */
  readonly token: string | null;
}

/** Whatever was wrong: who tries does not learn which part. */
export const SIGN_IN_FAILED_MESSAGE = 'The email address or password is incorrect.';

export function signInFailedFault(message = SIGN_IN_FAILED_MESSAGE): Fault {
  return new Fault('sign_in_failed', message);
}

/**
 * A transaction whose entries in the audit log say where they came from: the browser's address, and its session where it had
 * one.
 */
export function auditedTransaction<T>(
  { database }: Pick<SignInContext, 'database'>,
  { address }: BrowserRequest,
  live: Pick<ActiveSession, 'id'> | null,
  work: (writer: DatabaseWriter) => Promise<T>,
): Promise<T> {
  return database.transaction((writer) => {
    setAuditOrigin(writer, { address, sessionId: live?.id ?? null });
    return work(writer);
  });
}

/** What is switched on and possible here. */
export function listEnabledSignInMethods({ auth, site }: Pick<SignInContext, 'auth' | 'site'>) {
  const { password, passkey, oidc } = auth();
  return {
    password: password && canHashPasswords(),
    passkey: passkey && site().passkeys !== null,
    oidc: oidc.map(({ name }) => ({ name })),
  };
}

/** Somebody who showed who they are. */
export interface AuthenticatedUser {
  readonly userId: string;
  readonly method: SignInMethod;
  /** Name of the issuer that says so. */
  readonly issuer?: string;
  /** The passkey that they showed. */
  readonly passkeyId?: string;
  /** Of several, the org they shall begin in; else the one they have belonged to longest. */
  readonly orgId?: string;
  /** They did so just now, not some time ago at another server. */
  readonly isFresh: boolean;
}

/**
 * Begins the session of somebody who showed who they are, inside `writer`'s transaction; ends the one the browser had.
 * Returns the value of the new cookie: it is another one at each sign-in, so that nobody can set it before (fixation).
 *
 * @throws Fault `sign_in_failed` when they belong to no org
 */
export async function startSession(
  context: SignInContext,
  writer: DatabaseWriter,
  user: AuthenticatedUser,
  browser: BrowserRequest,
): Promise<string> {
  const issuer = user.issuer ?? null;
  const standings = sessionMemberships(await listMembershipAccess(writer, user.userId, issuer), issuer);
  const at = standings.find(({ org }) => org.id === user.orgId) ?? standings[0];
  if (!at)
    throw signInFailedFault('Your account belongs to no organization here. Ask an owner to invite you.');
  if (browser.token !== null) await deleteConsoleSessionByToken(writer, sha256(browser.token));
  const { id, token } = await context.sessions.create(writer, {
    userId: user.userId,
    membership: at,
    method: user.method,
    issuer: user.issuer,
    passkeyId: user.passkeyId,
    address: browser.address,
    agent: browser.agent,
    steppedUp: user.isFresh,
  });
  setAuditOrigin(writer, { address: browser.address, sessionId: id });
  await auditSignIn(writer, context.clock, {
    orgId: at.org.id,
    actor: at.memberId,
    action: 'sessions.create',
    subject: id,
    after: {
      method: user.method,
      ...(user.issuer !== undefined && { issuer: user.issuer }),
      address: browser.address,
      agent: browser.agent.slice(0, 200),
    },
  });
  return token;
}

import type { KeyObject } from 'node:crypto';
import type { SignInMethod } from '@floe/contract/api/session';
import type { FloeConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { setAuditOrigin } from '../../store/audit-context.ts';
import { deleteConsoleSessionByToken, listMembershipsWithRoles } from '../../store/console-sessions.ts';
import type { Database, DatabaseWriter } from '../../store/store-interfaces.ts';
import type { SecretEncryptionKey } from '../secrets.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import type { ActiveConsoleSession, ConsoleSessions } from './console-sessions.ts';
import type { OidcIssuerCache } from './oidc-issuer-cache.ts';
import { canHashPasswords, type PasswordHasher } from './password-hash.ts';
import { listSessionMemberships } from './session-memberships.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';
import type { SignInUrls } from './sign-in-urls.ts';
import { computeSha256Hex } from './tokens.ts';

/** The dependencies of all sign-in methods. */
export interface SignInContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly sessions: ConsoleSessions;
  readonly throttle: SignInThrottle;
  readonly hasher: PasswordHasher;
  /** Result of `deriveSignInChallengeKey`. */
  readonly challengeKey: KeyObject;
  /** Result of `deriveOidcFlowKey`. */
  readonly flowEncryptionKey: SecretEncryptionKey;
  readonly issuers: OidcIssuerCache;
  /** `auth` of the running floe.yaml. */
  readonly auth: () => FloeConfig['auth'];
  readonly site: () => SignInUrls;
}

/** The browser that sent a request. */
export interface BrowserRequest {
  readonly address: string;
  readonly agent: string;
  /** Value of the session cookie, valid or not. Null if there is none. */
  readonly token: string | null;
  /** Whether the request counts as use of the session. */
  readonly isUse: boolean;
}

/** The error message of a failed sign-in with a password. It does not reveal whether the account exists. */
export const SIGN_IN_FAILED_MESSAGE = 'The email address or password is incorrect.';

/** Creates the fault for a failed sign-in. */
export function createSignInFailedFault(message = SIGN_IN_FAILED_MESSAGE): Fault {
  return new Fault('sign_in_failed', message);
}

/** Runs a transaction whose audit entries record the browser's address and session. */
export function runAuditedTransaction<T>(
  { database }: Pick<SignInContext, 'database'>,
  { address }: BrowserRequest,
  live: Pick<ActiveConsoleSession, 'id'> | null,
  work: (writer: DatabaseWriter) => Promise<T>,
): Promise<T> {
  return database.transaction((writer) => {
    setAuditOrigin(writer, { address, sessionId: live?.id ?? null });
    return work(writer);
  });
}

/** Returns the enabled sign-in methods that work at the base URL. Passkeys, for example, require HTTPS. */
export function getEnabledSignInMethods({ auth, site }: Pick<SignInContext, 'auth' | 'site'>) {
  const { password, passkey, oidc } = auth();
  return {
    password: password && canHashPasswords(),
    passkey: passkey && site().passkeys !== null,
    oidc: oidc.map(({ name }) => ({ name })),
  };
}

/** A user who has proved their identity. */
export interface AuthenticatedUser {
  readonly userId: string;
  readonly method: SignInMethod;
  /** Name of the issuer that authenticated the user. */
  readonly issuer?: string;
  /** The passkey that was used. */
  readonly passkeyId?: string;
  /** The organization in which the session starts. Default: the oldest membership. */
  readonly orgId?: string;
  /** Whether the user authenticated just now, and not earlier at an issuer. */
  readonly isFresh: boolean;
}

/**
 * Starts a session in the transaction of `writer`, and ends the browser's previous session. Returns
 * the new cookie's value. The value changes with each sign-in, to prevent session fixation.
 *
 * @throws Fault `sign_in_failed` if the user belongs to no organization
 */
export async function startConsoleSession(
  context: SignInContext,
  writer: DatabaseWriter,
  user: AuthenticatedUser,
  browser: BrowserRequest,
): Promise<string> {
  const issuer = user.issuer ?? null;
  const standings = listSessionMemberships(
    await listMembershipsWithRoles(writer, user.userId, issuer),
    issuer,
  );
  const at = standings.find(({ org }) => org.id === user.orgId) ?? standings[0];
  if (!at)
    throw createSignInFailedFault(
      'Your account does not belong to any organization. Ask an owner or admin to invite you.',
    );
  if (browser.token !== null) await deleteConsoleSessionByToken(writer, computeSha256Hex(browser.token));
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
  await auditAccountEvent(writer, context.clock, {
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

import { Fault } from '@floe/contract/faults';
import { createClientAddressResolver } from '../../core/client-address.ts';
import type { Log } from '../../core/log.ts';
import { createMemberActor } from '../../platform/actor.ts';
import type { ActiveConsoleSession } from '../../platform/sign-in/console-sessions.ts';
import { createSessionExpiredFault } from '../../platform/sign-in/session-changes.ts';
import type { BrowserRequest, SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import { requireSameOriginRequest } from './require-same-origin-request.ts';
import { createConfiguredSessionCookieDefinition } from './session-cookie.ts';
import type { SessionOperationResult } from './session-operation.ts';
import { createSessionOperations } from './session-operations.ts';
import type { SessionOperationResponse, SignInApi, SignInRequest } from './sign-in-api.ts';

/**
 * Creates the sign-in part of `/api`. `trustedProxies` is the value of `server.trusted_proxies`.
 */
export function createSignInApi(
  context: SignInContext,
  trustedProxies: readonly string[],
  log: Log,
): SignInApi {
  const arrivals = createClientAddressResolver(trustedProxies);

  function browserOf({ headers, addressSource, isUse }: SignInRequest): BrowserRequest {
    const agent = headers['user-agent'];
    return {
      address: arrivals.addressOf(addressSource),
      agent: typeof agent === 'string' ? agent : '',
      token: createConfiguredSessionCookieDefinition(context).read(cookieHeader(headers)),
      isUse,
    };
  }

  return {
    operations: createSessionOperations(context, log),
    async findSession(asking, mayReplace) {
      const cookie = createConfiguredSessionCookieDefinition(context);
      const token = cookie.read(cookieHeader(asking.headers));
      if (token === null) return null;
      requireSameOriginRequest(asking.method, asking.headers, context.site());
      const live = await findSession(context, token, asking.isUse);
      const next = live.mustRotate && mayReplace ? await rotateToken(context, live, token) : null;
      return { actor: sessionActor(live), setCookie: next === null ? null : cookie.set(next) };
    },
    isActiveSession: (session) => context.sessions.isActive(session, session.last_seen_at),
    async perform(operation, asking, input) {
      requireSameOriginRequest(asking.method, asking.headers, context.site());
      const cookies = cookieHeader(asking.headers);
      const answer = await operation.perform({ ...input, cookies, browser: browserOf(asking) });
      return toSessionResponse(context, answer);
    },
  };
}

function toSessionResponse(
  context: SignInContext,
  { body, token, cookies = [], location }: SessionOperationResult<unknown>,
): SessionOperationResponse {
  const cookie = createConfiguredSessionCookieDefinition(context);
  const own = token === undefined ? [] : [token === null ? cookie.clear() : cookie.set(token)];
  return { body, setCookies: [...own, ...cookies], location: location ?? null };
}

/**
 * @throws Fault `session_expired`; `auth_unavailable` if the store is unavailable, because that says nothing
 *   about the session
 */
async function findSession(
  { sessions }: SignInContext,
  token: string,
  isUse: boolean,
): Promise<ActiveConsoleSession> {
  let live: ActiveConsoleSession | null;
  try {
    live = await sessions.find(token, isUse);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault('auth_unavailable', 'Floe cannot check your session at the moment. Try again.', {
      cause,
    });
  }
  if (!live) throw createSessionExpiredFault();
  return live;
}

/**
 * Replaces the token after a change of role. Of several concurrent requests, one gets the new token. The
 * others continue with the old one.
 */
async function rotateToken(
  { database, sessions }: SignInContext,
  live: ActiveConsoleSession,
  token: string,
): Promise<string | null> {
  const next = await database.rowTransaction((writer) =>
    sessions.rotate(writer, token, { role: live.membership.role, stepped_up_until: 0 }),
  );
  sessions.clearCache();
  return next;
}

function sessionActor({
  id,
  user,
  membership,
  issuer,
  isOperator,
  steppedUpUntil,
  mustRotate,
}: ActiveConsoleSession) {
  return createMemberActor(membership.org.id, {
    id: membership.memberId,
    userId: user.id,
    email: user.email,
    role: membership.role,
    team: membership.team,
    sessionId: id,
    issuer,
    isOperator,
    steppedUpUntil: mustRotate ? 0 : steppedUpUntil,
  });
}

function cookieHeader(headers: SignInRequest['headers']): string | undefined {
  const { cookie } = headers;
  return typeof cookie === 'string' ? cookie : cookie?.join('; ');
}

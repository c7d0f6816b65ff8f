import { Fault } from '@floe/contract/faults';
import { createArrivals } from '../../core/arrivals.ts';
import type { Log } from '../../core/log.ts';
import { memberActor } from '../../platform/actor.ts';
import { signedOut } from '../../platform/sign-in/session-changes.ts';
import type { LiveSession } from '../../platform/sign-in/sessions.ts';
import type { Browser, SignInParts } from '../../platform/sign-in/sign-in.ts';
import { refuseCrossSite } from './cross-site.ts';
import { cookieFor } from './session-cookie.ts';
import type { SessionAnswer } from './session-operation.ts';
import { sessionOperations } from './session-operations.ts';
import type { Asking, Done, SignInEdge } from './sign-in-edge.ts';

/** `trustedProxies` are those of `server.trusted_proxies`. */
export function createSignInEdge(
  parts: SignInParts,
  trustedProxies: readonly string[],
  log: Log,
): SignInEdge {
  const arrivals = createArrivals(trustedProxies);

  function browserOf({ headers, arrival }: Asking): Browser {
    const agent = headers['user-agent'];
    return {
      address: arrivals.addressOf(arrival),
      agent: typeof agent === 'string' ? agent : '',
      token: cookieFor(parts).read(cookieHeader(headers)),
    };
  }

  return {
    operations: sessionOperations(parts, log),
    async recognise(asking, mayReplace) {
      const cookie = cookieFor(parts);
      const token = cookie.read(cookieHeader(asking.headers));
      if (token === null) return null;
      refuseCrossSite(asking.method, asking.headers, parts.site());
      const live = await found(parts, token);
      const next = live.mustRotate && mayReplace ? await rotated(parts, live, token) : null;
      return { actor: actorOf(live), setCookie: next === null ? null : cookie.set(next) };
    },
    async perform(operation, asking, input) {
      refuseCrossSite(asking.method, asking.headers, parts.site());
      const cookies = cookieHeader(asking.headers);
      const answer = await operation.perform({ ...input, cookies, browser: browserOf(asking) });
      return doneOf(parts, answer);
    },
  };
}

function doneOf(parts: SignInParts, { body, token, cookies = [], location }: SessionAnswer<unknown>): Done {
  const cookie = cookieFor(parts);
  const own = token === undefined ? [] : [token === null ? cookie.clear() : cookie.set(token)];
  return { body, setCookies: [...own, ...cookies], location: location ?? null };
}

/** @throws Fault `signed_out`; `auth_unavailable` while the store is away, for that is no "wrong" */
async function found({ sessions }: SignInParts, token: string): Promise<LiveSession> {
  let live: LiveSession | null;
  try {
    live = await sessions.find(token);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault('auth_unavailable', 'Floe cannot check your sign-in right now.', { cause });
  }
  if (!live) throw signedOut();
  return live;
}

/** A role that rose or fell gets a cookie of its own. Of several requests at once one gets it; the others pass with the old one. */
async function rotated(
  { database, sessions }: SignInParts,
  live: LiveSession,
  token: string,
): Promise<string | null> {
  const next = await database.rowTransaction((writer) =>
    sessions.rotate(writer, token, { role: live.here.role, stepped_up_until: 0 }),
  );
  sessions.forget();
  return next;
}

function actorOf({ id, user, here, issuer, isOperator, steppedUpUntil, mustRotate }: LiveSession) {
  return memberActor(here.org.id, {
    id: here.memberId,
    userId: user.id,
    email: user.email,
    role: here.role,
    team: here.team,
    sessionId: id,
    issuer,
    isOperator,
    steppedUpUntil: mustRotate ? 0 : steppedUpUntil,
  });
}

function cookieHeader(headers: Asking['headers']): string | undefined {
  const { cookie } = headers;
  return typeof cookie === 'string' ? cookie : cookie?.join('; ');
}

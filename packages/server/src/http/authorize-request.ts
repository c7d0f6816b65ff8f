import { Fault } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAccess } from '../management/access.ts';
import { type EventStreamContext, eventStreamSchema } from '../management/event-stream-response.ts';
import type { Operation } from '../management/operation.ts';
import type { Actor } from '../platform/actor.ts';
import { mayContainPlatformKey } from '../platform/key-format.ts';
import type { ApiOptions } from './api-options.ts';
import { toSignInRequest } from './sign-in/session-routes.ts';
import type { SignInRequest } from './sign-in/sign-in-api.ts';
import { markConnectionAuthenticated } from './unauthenticated-connection-limiter.ts';

/**
 * Authenticates a request by platform key or session, and checks that the actor may use the
 * operation. A key takes precedence over a cookie, because console pages never send a key.
 *
 * @param reply receives a changed session cookie. If it is absent, the request is checked again while it is in
 *   progress. This changes no cookie, and does not count as use of the session.
 * @throws Fault if the request is not authenticated or not allowed
 */
export async function authorizeRequest(
  options: ApiOptions,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply | null,
): Promise<Actor> {
  // The browser opens an event stream again by itself, so the stream does not count as use of the session.
  const asking = toSignInRequest(request, reply !== null && operation.answer !== eventStreamSchema);
  const actor = await resolveActor(options, request, reply, asking);
  markConnectionAuthenticated(request.raw.socket);
  requireAccess(operation, actor, options.host.clock.now());
  const address = options.addressOf?.(request.raw);
  return address === undefined ? actor : { ...actor, address };
}

async function resolveActor(
  { signIn, authenticate }: ApiOptions,
  request: FastifyRequest,
  reply: FastifyReply | null,
  asking: SignInRequest,
): Promise<Actor> {
  if (!signIn || mayContainPlatformKey(request.headers)) return authenticate(request.headers);
  const recognised = await signIn.findSession(asking, reply !== null);
  if (!recognised) return authenticate(request.headers);
  if (recognised.setCookie !== null) reply?.header('set-cookie', recognised.setCookie);
  requireSameOrg(request, recognised.actor);
  return recognised.actor;
}

/**
 * A browser has one session for all its tabs, and another tab can switch its organization. `x-floe-org` names the
 * organization that a page shows. It is a header, or a query parameter of a link, because a browser sends no such
 * header when it follows a link. Removes the parameter, because operations reject unknown parameters.
 */
function requireSameOrg(request: FastifyRequest, { orgId }: Actor): void {
  let shown: unknown = request.headers[ORG_PARAMETER];
  if (isJsonObject(request.query) && ORG_PARAMETER in request.query) {
    const { [ORG_PARAMETER]: linked, ...query } = request.query;
    request.query = query;
    shown ??= linked;
  }
  if (shown !== undefined && shown !== orgId)
    throw new Fault(
      'conflict',
      `Your session is now in the organization "${orgId}", because you switched in another tab. To switch back, reload this page.`,
      { param: ORG_PARAMETER },
    );
}

const ORG_PARAMETER = 'x-floe-org';

/** Creates the context that regularly checks whether an event stream's reader still has access. */
export function createEventStreamContext(
  options: ApiOptions,
  operation: Operation,
  request: FastifyRequest,
): EventStreamContext {
  const id = request.headers['last-event-id'];
  return {
    lastEventId: typeof id === 'string' && id !== '' ? id : undefined,
    isAllowed: async () => {
      try {
        const actor = await authorizeRequest(options, operation, request, null);
        return actor.orgId === request.getDecorator<Actor>('actor').orgId;
      } catch (error) {
        // If the store is unavailable, the reader keeps access.
        return !(error instanceof Fault) || error.status >= 500;
      }
    },
  };
}

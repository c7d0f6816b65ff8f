import { Fault } from '@floe/contract/faults';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAccess } from '../management/access.ts';
import type { EventStreamContext } from '../management/event-stream-response.ts';
import type { Verb } from '../management/verb.ts';
import type { Actor } from '../platform/actor.ts';
import { hasPlatformKey } from '../platform/key-format.ts';
import type { ApiOptions } from './api-options.ts';
import { toSignInRequest } from './sign-in/session-routes.ts';
import { markAuthenticated } from './unauthenticated-connections.ts';

/**
 * Who asks, by platform key or by session. A key wins over a cookie: a page of the console never sends one, so whoever does
 * means it.
 *
 * @param reply takes the new cookie of a session that has to change; without one it stays as it is
 * @throws Fault when nobody is let in with these headers, or not to this verb
 */
export async function authorizeRequest(
  options: ApiOptions,
  verb: Verb,
  request: FastifyRequest,
  reply: FastifyReply | null,
): Promise<Actor> {
  const actor = await resolveActor(options, request, reply);
  markAuthenticated(request.raw.socket);
  requireAccess(verb, actor, options.host.clock.now());
  const address = options.addressOf?.(request.raw);
  return address === undefined ? actor : { ...actor, address };
}

async function resolveActor(
  { signIn, authenticate }: ApiOptions,
  request: FastifyRequest,
  reply: FastifyReply | null,
): Promise<Actor> {
  if (!signIn || hasPlatformKey(request.headers)) return authenticate(request.headers);
  const recognised = await signIn.findSession(toSignInRequest(request), reply !== null);
  if (!recognised) return authenticate(request.headers);
  if (recognised.setCookie !== null) reply?.header('set-cookie', recognised.setCookie);
  return recognised.actor;
}

/** Whether somebody who watches a stream may go on to, asked now and then while it lasts. */
export function createEventStreamContext(
  options: ApiOptions,
  verb: Verb,
  request: FastifyRequest,
): EventStreamContext {
  const id = request.headers['last-event-id'];
  return {
    lastEventId: typeof id === 'string' && id !== '' ? id : undefined,
    isAllowed: async () => {
      try {
        const actor = await authorizeRequest(options, verb, request, null);
        return actor.orgId === request.getDecorator<Actor>('actor').orgId;
      } catch (error) {
        // A store that cannot be asked takes nobody's rights away.
        return !(error instanceof Fault) || error.status >= 500;
      }
    },
  };
}

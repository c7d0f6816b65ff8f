import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Asking, SignInEdge } from './sign-in-edge.ts';

/** The request as the sign-in sees it. */
export function askingOf(request: FastifyRequest): Asking {
  return { method: request.method, headers: request.headers, arrival: request.raw };
}

/** Read before anybody is known; the largest, the registration of a passkey, has about 4 KB. */
const UNAUTHENTICATED_BODY_BYTES = 16 * 1024;

/** `/api/session…`: no key, its own cookies, and no address of it in anybody's `Referer`. */
export function addSessionRoutes(app: FastifyInstance, signIn: SignInEdge): void {
  for (const operation of signIn.operations)
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: UNAUTHENTICATED_BODY_BYTES,
      handler: async (request, reply) => {
        const { params, query, body } = request;
        const done = await signIn.perform(operation, askingOf(request), { params, query, body });
        reply.header('referrer-policy', 'no-referrer');
        if (done.setCookies.length > 0) reply.header('set-cookie', [...done.setCookies]);
        if (done.location !== null) return reply.code(303).header('location', done.location).send();
        reply.code(operation.status);
        return operation.status === 204 ? reply.send() : done.body;
      },
    });
}

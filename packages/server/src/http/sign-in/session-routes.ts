import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createOperationRouteConfig } from '../api-calls.ts';
import type { SignInApi, SignInRequest } from './sign-in-api.ts';

/** The console sends this header with requests that no person caused, such as polls. */
const BACKGROUND_HEADER = 'x-floe-background';

/**
 * Returns the request data that sign-in uses.
 * @param isUse Whether the request counts as use of the session if a person caused it.
 */
export function toSignInRequest({ method, headers, raw }: FastifyRequest, isUse = true): SignInRequest {
  return { method, headers, addressSource: raw, isUse: isUse && !(BACKGROUND_HEADER in headers) };
}

/** Size limit of bodies before authentication. The largest, a passkey registration, has about 4 KB. */
const UNAUTHENTICATED_BODY_BYTES = 16 * 1024;

/**
 * Adds the routes `/api/session…`. They authenticate with their own cookies instead of a key.
 */
export function addSessionRoutes(app: FastifyInstance, signIn: SignInApi): void {
  for (const operation of signIn.operations)
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: createOperationRouteConfig(operation.name),
      bodyLimit: UNAUTHENTICATED_BODY_BYTES,
      handler: async (request, reply) => {
        const { params, query, body } = request;
        const done = await signIn.perform(operation, toSignInRequest(request), { params, query, body });
        reply.header('referrer-policy', 'no-referrer');
        if (done.setCookies.length > 0) reply.header('set-cookie', [...done.setCookies]);
        if (done.location !== null) return reply.code(303).header('location', done.location).send();
        reply.code(operation.status);
        return operation.status === 204 ? reply.send() : done.body;
      },
    });
}

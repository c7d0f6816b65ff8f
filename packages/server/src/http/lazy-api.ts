import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildFaultHeaders, formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { createClientAddressResolver } from '../core/client-address.ts';
import type { ApiOperationDependencies } from '../management/api-operations.ts';
import type { SignInContext } from '../platform/sign-in/sign-in-context.ts';
import type { ApiApplication } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import { watchRequestBody } from './watch-request-body.ts';

/** The `/api` application. It is loaded on demand. */
export interface LazyApiApplication {
  answer(req: IncomingMessage, res: ServerResponse, requestId: string): void;
  close(): Promise<void>;
}

/**
 * Creates an `/api` application that is loaded when the first request arrives, because its
 * framework takes longer to load than everything else together. Requests that arrive meanwhile wait
 * for it.
 */
export function createLazyApi(
  options: Omit<ApiOptions, 'requestIdOf' | 'operations' | 'signIn' | 'prefix'>,
  parts: ApiOperationDependencies,
  signIn: { readonly parts: SignInContext; readonly trustedProxies: readonly string[] },
): LazyApiApplication {
  const ids = new WeakMap<IncomingMessage, string>();
  const { addressOf } = createClientAddressResolver(signIn.trustedProxies);
  let loading: Promise<ApiApplication> | null = null;

  async function load(): Promise<ApiApplication> {
    const [{ createApi }, { defineApiOperations: apiOperations }, { createSignInApi }] = await Promise.all([
      import('./api.ts'),
      import('../management/api-operations.ts'),
      import('./sign-in/create-sign-in-api.ts'),
    ]);
    return createApi({
      ...options,
      addressOf,
      prefix: () => signIn.parts.site().prefix,
      operations: apiOperations(parts),
      signIn: createSignInApi(signIn.parts, signIn.trustedProxies, options.log),
      requestIdOf: (request) => ids.get(request) ?? '',
    });
  }

  return {
    answer(req, res, requestId) {
      ids.set(req, requestId);
      watchRequestBody(req, res, options.host.clock, () => sendFault(res, requestId, BODY_TIMEOUT_FAULT));
      loading ??= load();
      loading.then(
        (api) => api.handle(req, res),
        (error: unknown) => {
          options.log.error(
            { err: error },
            'API could not be loaded; Floe tries again at the next API request',
          );
          sendFault(res, requestId, loadFault(requestId));
        },
      );
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

const BODY_TIMEOUT_FAULT = new Fault(
  'request_timeout',
  'The request body did not arrive within 30 seconds. Check the connection, then send the request again.',
);

function loadFault(requestId: string): Fault {
  return new Fault(
    'internal_error',
    `An internal error occurred. The server log has details under request id ${requestId}.`,
  );
}

/** Responds with a fault without the framework and closes the connection. */
function sendFault(res: ServerResponse, requestId: string, fault: Fault): void {
  res.shouldKeepAlive = false;
  res.writeHead(fault.status, [
    'content-type',
    'application/json',
    'x-request-id',
    requestId,
    ...buildFaultHeaders(fault),
  ]);
  res.end(formatFaultBody(fault, requestId, 'openai'));
}

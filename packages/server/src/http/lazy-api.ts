import type { IncomingMessage, ServerResponse } from 'node:http';
import { faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import { createArrivals } from '../core/arrivals.ts';
import type { VerbParts } from '../management/verbs.ts';
import type { SignInParts } from '../platform/sign-in/sign-in.ts';
import type { Api } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import { watchBody } from './early-answer.ts';

export interface LazyApi {
  answer(req: IncomingMessage, res: ServerResponse, requestId: string): void;
  close(): Promise<void>;
}

/**
 * The `/api` edge, loaded after the listener: its framework costs more start-up time than everything else
 * together, and the gateway need not wait for it. Requests that come earlier wait for it.
 */
export function createLazyApi(
  options: Omit<ApiOptions, 'requestIdOf' | 'verbs' | 'signIn' | 'prefix'>,
  parts: VerbParts,
  signIn: { readonly parts: SignInParts; readonly trustedProxies: readonly string[] },
): LazyApi {
  const ids = new WeakMap<IncomingMessage, string>();
  const { addressOf } = createArrivals(signIn.trustedProxies);
  let loading: Promise<Api> | null = null;

  async function load(): Promise<Api> {
    const [{ createApi }, { verbs }, { createSignInEdge }] = await Promise.all([
      import('./api.ts'),
      import('../management/verbs.ts'),
      import('./sign-in/create-sign-in-edge.ts'),
    ]);
    return createApi({
      ...options,
      addressOf,
      prefix: () => signIn.parts.site().prefix,
      verbs: verbs(parts),
      signIn: createSignInEdge(signIn.parts, signIn.trustedProxies, options.log),
      requestIdOf: (request) => ids.get(request) ?? '',
    });
  }

  return {
    answer(req, res, requestId) {
      ids.set(req, requestId);
      watchBody(req, res, options.host.clock, () => refuse(res, requestId, STALLED));
      loading ??= load();
      loading.then(
        (api) => api.routing(req, res),
        (error: unknown) => {
          options.log.error({ err: error }, 'the API could not be loaded');
          refuse(res, requestId, broken(requestId));
        },
      );
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

const STALLED = new Fault('request_timeout', 'The request body did not arrive within 30 seconds.');

function broken(requestId: string): Fault {
  return new Fault('internal_error', `Something went wrong here. The log has it under ${requestId}.`);
}

/** Answers in place of the framework and closes the connection. */
function refuse(res: ServerResponse, requestId: string, fault: Fault): void {
  res.shouldKeepAlive = false;
  res.writeHead(fault.status, [
    'content-type',
    'application/json',
    'x-request-id',
    requestId,
    ...faultHeaders(fault),
  ]);
  res.end(faultBody(fault, requestId, 'openai'));
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AccessLog, formatAccessLogPrefix, formatMilliseconds, quoteJson } from '../core/access-log.ts';
import type { Clock } from '../core/clock.ts';
import type { Actor } from '../platform/actor.ts';

/** An API call that has finished. */
export interface ApiCall {
  readonly requestId: string;
  /** Name of the operation, such as `keys.create`. Null if no operation has this path and method. */
  readonly operation: string | null;
  readonly method: string;
  /**
   * The route pattern with `{id}` for parameters. Null for an unknown path, because the client chose its
   * text.
   */
  readonly path: string | null;
  /** Null if the caller was not authenticated. */
  readonly actor: Actor | null;
  readonly status: number;
  readonly durationMs: number;
  /** Whether the client closed its connection before it had the whole response. */
  readonly isDisconnected: boolean;
}

/** Called once for each call, when its response is complete or its connection is closed. */
export type ApiCallRecorder = (call: ApiCall) => void;

/** Reports every call of this application to `record`. Must be registered before any other hook. */
export function observeApiCalls(app: FastifyInstance, clock: Clock, record: ApiCallRecorder): void {
  app.addHook('onRequest', async (request, reply) => {
    const startedAt = clock.monotonic();
    const { raw } = reply;
    raw.once('close', () =>
      record({
        requestId: request.id,
        operation: operationOf(request),
        method: request.method,
        path: request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? null,
        actor: request.getDecorator<Actor | null>('actor'),
        status: raw.headersSent ? raw.statusCode : 499,
        durationMs: clock.monotonic() - startedAt,
        isDisconnected: !raw.writableFinished,
      }),
    );
  });
}

/** Returns the `config` option of a route. The option contains the name of the operation. */
export function createOperationRouteConfig(name: string): { readonly operation: string } {
  return { operation: name };
}

function operationOf({ routeOptions }: FastifyRequest): string | null {
  const { config } = routeOptions;
  return 'operation' in config && typeof config.operation === 'string' ? config.operation : null;
}

/** Formats the access log line for an API call. Omits the query, because it may contain search terms. */
export function formatApiCallLine(call: ApiCall, nowMs: number): string {
  const { actor } = call;
  const kind = actor === null ? 'anonymous' : actor.key === null ? 'member' : 'key';
  return `${formatAccessLogPrefix(nowMs)},"msg":"api_call","request_id":"${call.requestId}","org":${quoteJson(
    actor?.orgId,
  )},"actor_kind":"${kind}","actor_id":${quoteJson(actor?.id)},"operation":${quoteJson(
    call.operation,
  )},"method":${quoteJson(call.method)},"path":${quoteJson(call.path)},"status":${
    call.status
  },"client_disconnected":${call.isDisconnected},"duration_ms":${formatMilliseconds(call.durationMs)}}\n`;
}

/** Returns a recorder that writes each call to the access log. */
export function createApiCallLogger(accessLog: AccessLog, clock: Clock): ApiCallRecorder {
  return (call) => {
    if (accessLog.accepts(call.status >= 400)) accessLog.write(formatApiCallLine(call, clock.now()));
  };
}

import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { requireKeyScope } from '../platform/keyring.ts';
import { formatNonExchangeRequestLine } from './access-log-line.ts';
import { type AuthenticatedCaller, authenticateCaller } from './caller.ts';
import { type ClientCall, ClientDisconnectedError } from './client-call.ts';
import { buildRequestIdHeaders } from './response-headers.ts';
import { logInternalError, sendFaultResponse } from './send-error.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';
import type { GatewaySurface } from './surface.ts';

/**
 * A kind of gateway request that is not an exchange, because it calls no model. Example: a request for the
 * model list.
 */
export interface NonExchangeOperation {
  /** The name in the access log; null for a path or method that does not exist. */
  readonly operation:
    | 'models.list'
    | 'models.get'
    | 'key.get'
    | 'responses.get'
    | 'responses.delete'
    | 'responses.cancel'
    | 'responses.list_input_items'
    | null;
  readonly routeMode: GatewaySurface['routeMode'];
  readonly errorFormat: ErrorBodyFormat;
}

/**
 * Authenticates the caller and responds with what `handle` returns: an object as JSON, or a string as an
 * event stream. If `handle` throws a fault, responds with the fault. Writes one line to the access log.
 * Never throws.
 */
export async function handleNonExchangeRequest(
  client: ClientCall,
  gateway: SharedGatewayDependencies,
  call: NonExchangeOperation,
  handle: (caller: AuthenticatedCaller) => object | string | Promise<JsonObject | object | string>,
): Promise<void> {
  const startedAt = gateway.clock.monotonic();
  let caller: AuthenticatedCaller | null = null;
  const headers = (type: string) => [
    ...['content-type', type, ...buildRequestIdHeaders(client.id, call.errorFormat)],
    ...(caller?.key.deprecationHeaders ?? []),
  ];
  let fault: Fault | null = null;
  try {
    caller = authenticateCaller(client, gateway, gateway.clock.now());
    requireKeyScope(caller.key, 'gateway');
    const result = await handle(caller);
    if (typeof result === 'string')
      client.sendAnswer(200, headers('text/event-stream; charset=utf-8'), result);
    else client.sendAnswer(200, headers('application/json'), JSON.stringify(result));
  } catch (error) {
    if (!(error instanceof ClientDisconnectedError)) {
      fault = error instanceof Fault ? error : logInternalError(gateway.log, client.id, error);
      sendFaultResponse(client, fault, call.errorFormat, headers('application/json'));
    }
  }
  logGatewayCall(client, gateway, { call, caller, fault, startedAt });
}

/** Responds with a fault to a request without an operation, and writes a line to the access log. */
export function rejectNonExchangeRequest(
  client: ClientCall,
  gateway: SharedGatewayDependencies,
  fault: Fault,
  { headers, ...call }: Omit<NonExchangeOperation, 'operation'> & { readonly headers: readonly string[] },
): void {
  const startedAt = gateway.clock.monotonic();
  const json = ['content-type', 'application/json', ...buildRequestIdHeaders(client.id, call.errorFormat)];
  sendFaultResponse(client, fault, call.errorFormat, [...json, ...headers]);
  logGatewayCall(client, gateway, { call: { ...call, operation: null }, caller: null, fault, startedAt });
}

function logGatewayCall(
  client: ClientCall,
  { accessLog, clock }: SharedGatewayDependencies,
  ended: {
    readonly call: NonExchangeOperation;
    readonly caller: AuthenticatedCaller | null;
    readonly fault: Fault | null;
    readonly startedAt: number;
  },
): void {
  const status = client.isDisconnected ? 499 : (ended.fault?.status ?? 200);
  if (!accessLog.accepts(status >= 400)) return;
  const durationMs = clock.monotonic() - ended.startedAt;
  const { operation, routeMode } = ended.call;
  accessLog.write(
    formatNonExchangeRequestLine({
      nowMs: clock.now(),
      requestId: client.id,
      key: ended.caller?.key ?? null,
      routeMode,
      operation,
      method: client.method,
      status,
      errorCode: ended.fault?.code ?? null,
      isDisconnected: client.isDisconnected,
      durationMs,
    }),
  );
}

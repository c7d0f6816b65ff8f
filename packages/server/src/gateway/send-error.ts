import { buildFaultHeaders, type ErrorBodyFormat, formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import type { Log } from '../core/log.ts';
import { type ClientCall, ClientDisconnectedError } from './client-call.ts';
import type { ExchangeResult, StartedExchange } from './exchange-record.ts';
import { buildUpstreamStatusHeaders, toIdeFault } from './ide/error-profile.ts';
import { buildResponseHeaders, mergeForwardedHeaders } from './response-headers.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

/**
 * Sends an exchange's error in the client's dialect, unless the client has disconnected. Returns
 * the result of the exchange.
 */
export function sendError(x: StartedExchange, error: unknown): ExchangeResult {
  const { client, surface } = x;
  const { stage } = x.progress;
  if (error instanceof ClientDisconnectedError || client.isDisconnected)
    return { state: 'aborted', status: 499, fault: null };
  if (error instanceof ForwardedUpstreamError && stage.name === 'nothing') {
    const headers = mergeForwardedHeaders(buildResponseHeaders(x, error.contentType), error.headers);
    client.sendAnswer(error.status, [...headers, 'x-floe-error-source', 'upstream'], error.body);
    const fault = new Fault('upstream_error', error.message, { upstreamStatus: error.status });
    return { state: 'failed', status: error.status, fault };
  }
  const fault = toFault(x, error);
  const shown = surface.ide ? toIdeFault(x, fault) : fault;
  if (stage.name === 'nothing') {
    const headers = buildResponseHeaders(x, 'application/json');
    if (shown !== fault) headers.push(...buildUpstreamStatusHeaders(fault));
    sendFaultResponse(client, shown, surface.faultShape, headers);
  } else endStream(client, stage.name === 'content' ? null : stage.errorFormatter.formatError(shown));
  if (stage.name === 'content' || stage.name === 'broken') return { state: 'partial', status: 200, fault };
  // A response that was started early and has no content ended with this error.
  return { state: fault.isBlock ? 'blocked' : 'failed', status: shown.status, fault };
}

function toFault({ id, gateway }: StartedExchange, error: unknown): Fault {
  if (error instanceof Fault) return error;
  // The stream has already started, so the original response can no longer be forwarded.
  if (error instanceof ForwardedUpstreamError) return error.toFault();
  return logInternalError(gateway.log, id, error);
}

function endStream(client: ClientCall, text: string | null): void {
  if (text === null) client.abort();
  else client.endWith(text);
}

/**
 * Logs an unexpected error with all details, and returns an `internal_error` fault that does not reveal them.
 */
export function logInternalError(log: Log, id: string, error: unknown): Fault {
  log.error({ err: error, request_id: id }, 'unexpected error in a gateway request');
  return new Fault(
    'internal_error',
    `An internal error occurred. The server log has details under request id ${id}.`,
  );
}

/** Sends an error response. Must be called before any part of a response has been sent. */
export function sendFaultResponse(
  client: ClientCall,
  fault: Fault,
  shape: ErrorBodyFormat,
  headers: readonly string[],
): void {
  client.sendAnswer(
    fault.status,
    [...headers, ...buildFaultHeaders(fault)],
    formatFaultBody(fault, client.id, shape),
  );
}

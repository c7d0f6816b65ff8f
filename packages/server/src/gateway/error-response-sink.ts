import { Fault } from '@floe/contract/faults';
import type { UpstreamResponse } from '../providers/transport.ts';
import type { ResponseSink } from './attempt-plan.ts';
import { ClientDisconnectedError } from './client-call.ts';
import type { Exchange } from './exchange-record.ts';
import { BufferedResponseSink } from './response-sinks.ts';
import { ForwardedUpstreamError, getUpstreamHeader } from './upstream-error.ts';

/** Maximum size of an error body. Only the start of a longer one is read. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** Creates a sink that collects an error body and throws the error that `judge` returns for it. */
export function createErrorResponseSink(
  { capacity }: Exchange,
  judge: (body: Buffer) => Error,
): ResponseSink {
  const throwing = (body: Buffer) => {
    throw judge(body);
  };
  return new BufferedResponseSink(capacity, MAX_ERROR_BYTES, throwing, judge);
}

/** Returns the fault for a success response whose content type is not `wanted`. */
export function createUnexpectedContentTypeFault(
  providerId: string,
  wanted: string,
  answer: UpstreamResponse,
): Fault {
  const { status, headers, body } = answer;
  const type = getUpstreamHeader(headers, 'content-type') ?? '';
  return new Fault(
    'upstream_error',
    `${providerId} responded with status ${status} and content type "${type}" instead of ${wanted}. Check the provider's base_url.`,
    {
      upstreamStatus: status,
      upstreamBody: body.toString('utf8', 0, 2000),
    },
  );
}

/**
 * Returns the error code of a failed attempt for the request log. This is a code from the error table, or one
 * of two codes that no client receives: `upstream_refused` if the response of the provider was forwarded, and
 * `client_left` if the client disconnected.
 */
export function getAttemptErrorCode(error: Error): string {
  if (error instanceof Fault) return error.code;
  if (error instanceof ForwardedUpstreamError) return 'upstream_refused';
  return error instanceof ClientDisconnectedError ? 'client_left' : 'internal_error';
}

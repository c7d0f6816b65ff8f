import { Fault } from '@floe/contract/faults';
import type { UpstreamResponse, UpstreamResponseHead } from '../../providers/transport.ts';
import type { AttemptPlan, ResponseSink } from '../attempt-plan.ts';
import { createErrorResponseSink, createUnexpectedContentTypeFault } from '../error-response-sink.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import { createBufferedResponseSink } from '../response-sinks.ts';
import {
  ForwardedUpstreamError,
  findErrorStatusMeaning,
  getUpstreamHeader,
  parseUpstreamError,
} from '../upstream-error.ts';
import { buildOpaqueRequest, type OpaqueSendInput } from './build-opaque-request.ts';
import { buildForwardedResponseHeaders, omitHeaders } from './forwarded-headers.ts';
import { OpaqueResponseSink, type OpaqueResponseState } from './opaque-response-sink.ts';

/** The input for planning an attempt of a request that Floe forwards without parsing. */
export interface OpaquePlanInput extends OpaqueSendInput {
  readonly answerState: OpaqueResponseState;
  /** How a JSON response is processed before it is sent; null if every response is forwarded unchanged. */
  readonly postProcessing: ResponsePostProcessing | null;
  /** The response that was buffered for processing; null if there is none. */
  bufferedAnswer: TargetResponse | null;
}

/** A provider's response and the target that sent it. */
export interface TargetResponse extends UpstreamResponse {
  /** The target that sent it. */
  readonly target: Target;
}

/**
 * How a response is processed before it is sent. `create`: the response is a new resource. `note`: the
 * response may contain new resources, which are recorded. `list`: the response may contain resources of other
 * callers, which are removed. `show`: only the links in the response are replaced.
 */
export type ResponsePostProcessing = 'create' | 'note' | 'list' | 'show';

/**
 * Plans an attempt of a request that Floe forwards without parsing.
 * @throws Fault if the target cannot be used
 */
export function planOpaqueAttempt(x: Exchange, target: Target, input: OpaquePlanInput): AttemptPlan {
  const { body } = input.request;
  if (body.kind === 'upload' && !body.upload.isUnsent)
    throw new Fault(
      'unsupported_parameter',
      'The request body was already streamed to a provider, so Floe cannot send the body to another provider. Send the request again.',
    );
  return {
    request: buildOpaqueRequest(x, target, input),
    ...(body.kind === 'upload' && { upload: body.upload }),
    dropped: [],
    createRawSink: (head) => createAnswerSink(x, target, input, head),
    createSink: throwUnused,
    toError: throwUnused,
  };
}

function throwUnused(): never {
  throw new Error('unreachable: an opaque plan handles every response with its raw sink');
}

function createAnswerSink(
  x: Exchange,
  target: Target,
  input: OpaquePlanInput,
  head: UpstreamResponseHead,
): ResponseSink {
  const { status, headers } = head;
  const { base, resource } = input.context;
  const good = (status >= 200 && status < 300) || status === 304;
  if (!good)
    return createErrorResponseSink(x, (body) =>
      toRefusal(target, base.forwardsServerErrors, { ...head, body }),
    );
  // A sign-in page of a network is not a response of a JSON API.
  const type = getUpstreamHeader(headers, 'content-type') ?? '';
  if (resource.isJsonOnly && /^\s*text\/html\b/i.test(type))
    return createErrorResponseSink(x, (body) =>
      createUnexpectedContentTypeFault(target.provider.id, 'JSON', { ...head, body }),
    );
  // A list is processed whatever its content type is, because it may contain resources of other callers.
  const isProcessed = input.postProcessing === 'list' || /[/+]json\b/i.test(type);
  if (input.postProcessing && isProcessed && status !== 304)
    return createBufferedResponseSink(x, (body) => {
      input.bufferedAnswer = { ...head, body, target };
    });
  return new OpaqueResponseSink(x, resource, input.answerState, head);
}

/**
 * Returns the error for an error response. If the client caused the error, the response is forwarded with its
 * status, headers and bytes.
 */
function toRefusal({ provider }: Target, passesFailures: boolean, answer: UpstreamResponse): Error {
  const { status, headers, body } = answer;
  const passing = omitHeaders(
    buildForwardedResponseHeaders(headers),
    'content-type',
    'content-length',
    'content-encoding',
  );
  const type = getUpstreamHeader(headers, 'content-type') ?? 'application/json';
  const meaning = findErrorStatusMeaning(provider.definition, status, body.toString('utf8'));
  if (passesFailures && status >= 500 && (meaning === undefined || meaning === 'overloaded'))
    return new ForwardedUpstreamError(status, type, body, { headers: passing });
  const refusal = parseUpstreamError(provider, answer);
  return refusal instanceof ForwardedUpstreamError
    ? new ForwardedUpstreamError(status, refusal.contentType, body, { headers: passing })
    : refusal;
}

import { Fault } from '@floe/contract/faults';
import type { UpstreamResponse, UpstreamResponseHead } from '../../providers/transport.ts';
import { createBufferedAnswer } from '../answer-sinks.ts';
import type { Target } from '../catalog.ts';
import { createErrorAnswer, unexpectedContentTypeFault } from '../error-answer.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerSink, AttemptPlan } from '../plan.ts';
import {
  ForwardedUpstreamError,
  matchErrorRule,
  readUpstreamError,
  readUpstreamHeader,
} from '../upstream-fault.ts';
import { buildOpaqueRequest, type OpaqueSendInput } from './build-opaque-request.ts';
import { forwardedAnswerHeaders, omitHeaders } from './headers.ts';
import { OpaqueAnswer, type OpaqueAnswerState } from './opaque-answer.ts';

export interface OpaquePlanInput extends OpaqueSendInput {
  readonly answerState: OpaqueAnswerState;
  /** What has to be known of a JSON answer before it goes on; null lets every answer pass. */
  readonly postProcessing: PostProcessing | null;
  /** Such an answer. */
  bufferedAnswer: TargetResponse | null;
}

export interface TargetResponse extends UpstreamResponse {
  /** Who gave it. */
  readonly target: Target;
}

/** `create`: the answer is a new thing; `note`: it may name some; `list`: it may name other people's; `show`: none of it. */
export type PostProcessing = 'create' | 'note' | 'list' | 'show';

/** The plan for one attempt of a request that passes unread. Throws the `Fault` that makes a target ineligible. */
export function planOpaqueAttempt(x: Exchange, target: Target, input: OpaquePlanInput): AttemptPlan {
  const { body } = input.request;
  if (body.kind === 'upload' && !body.upload.isUnsent)
    throw new Fault(
      'unsupported_parameter',
      'The request body was already streamed to a provider, so it cannot be sent to another one.',
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
  throw new Error('a raw plan handles every response');
}

function createAnswerSink(
  x: Exchange,
  target: Target,
  input: OpaquePlanInput,
  head: UpstreamResponseHead,
): AnswerSink {
  const { status, headers } = head;
  const { base, resource } = input.context;
  const good = (status >= 200 && status < 300) || status === 304;
  if (!good)
    return createErrorAnswer((body) => toRefusal(target, base.forwardsServerErrors, { ...head, body }));
  // A network's sign-in page is no answer of an API that speaks JSON.
  const type = readUpstreamHeader(headers, 'content-type') ?? '';
  if (resource.isJsonOnly && /^\s*text\/html\b/i.test(type))
    return createErrorAnswer((body) =>
      unexpectedContentTypeFault(target.provider.id, 'JSON', { ...head, body }),
    );
  const isJson = /[/+]json\b/i.test(type);
  if (input.postProcessing && isJson && status !== 304)
    return createBufferedAnswer((body) => {
      input.bufferedAnswer = { ...head, body, target };
    });
  return new OpaqueAnswer(x, resource, input.answerState, head);
}

/** Whose fault an error answer is. What belongs to the client passes with its status, headers and bytes. */
function toRefusal({ provider }: Target, passesFailures: boolean, answer: UpstreamResponse): Error {
  const { status, headers, body } = answer;
  const passing = omitHeaders(
    forwardedAnswerHeaders(headers),
    'content-type',
    'content-length',
    'content-encoding',
  );
  const type = readUpstreamHeader(headers, 'content-type') ?? 'application/json';
  const meaning = matchErrorRule(provider.sheet, status, body.toString('utf8'));
  if (passesFailures && status >= 500 && (meaning === undefined || meaning === 'overloaded'))
    return new ForwardedUpstreamError(status, type, body, { headers: passing });
  const refusal = readUpstreamError(provider, answer);
  return refusal instanceof ForwardedUpstreamError
    ? new ForwardedUpstreamError(status, refusal.contentType, body, { headers: passing })
    : refusal;
}

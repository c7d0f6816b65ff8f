import { FAULTS, type Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { UpstreamFault } from './upstream-fault.ts';

/** Agents act on this code by name: a turn too long for the model is theirs to shorten. */
export function clientErrorCode(fault: Fault, upstream: UpstreamFault | undefined): string {
  return upstream?.kind === 'context' ? 'context_length_exceeded' : (fault.detail.dialectCode ?? fault.code);
}

/** The `error` object of the OpenAI dialects. */
export function toOpenAiError(fault: Fault, upstream: UpstreamFault | undefined): JsonObject {
  return {
    message: fault.message,
    type: FAULTS[fault.code].openai,
    param: fault.detail.param ?? null,
    code: clientErrorCode(fault, upstream),
  };
}

/** An error body of Chat and Responses. */
export function writeOpenAiFault(fault: Fault, requestId: string, upstream?: UpstreamFault): JsonObject {
  return { error: toOpenAiError(fault, upstream), request_id: requestId };
}

/** The words by which Messages agents know that the conversation must be shortened. */
const TOO_LONG = 'prompt is too long';

/** An error body of Messages, which is also its stream's error event. */
export function writeAnthropicFault(fault: Fault, requestId: string, upstream?: UpstreamFault): JsonObject {
  const type = FAULTS[fault.code].anthropic;
  const known = upstream?.kind !== 'context' || fault.message.includes(TOO_LONG);
  const message = known ? fault.message : `${TOO_LONG}: ${fault.message}`;
  return { type: 'error', error: { type, message }, request_id: requestId };
}

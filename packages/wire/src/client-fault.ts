import { FAULTS, type Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { UpstreamFault } from './upstream-fault.ts';

/**
 * Returns the error code for the client. Agents shorten the conversation if the code states that the
 * context is too long.
 */
export function toClientErrorCode(fault: Fault, upstream: UpstreamFault | undefined): string {
  return upstream?.kind === 'context' ? 'context_length_exceeded' : (fault.detail.dialectCode ?? fault.code);
}

/** Writes the `error` object for the OpenAI dialects. */
export function toOpenAiError(fault: Fault, upstream: UpstreamFault | undefined): JsonObject {
  return {
    message: fault.message,
    type: FAULTS[fault.code].openai,
    param: fault.detail.param ?? null,
    code: toClientErrorCode(fault, upstream),
  };
}

/** Writes an error body for Chat and Responses. */
export function writeOpenAiFault(fault: Fault, requestId: string, upstream?: UpstreamFault): JsonObject {
  return { error: toOpenAiError(fault, upstream), request_id: requestId };
}

/** Messages agents shorten the conversation when an error has this text. */
const TOO_LONG = 'prompt is too long';

/** Writes an error body for Messages. It is also the error event in a Messages stream. */
export function writeAnthropicFault(fault: Fault, requestId: string, upstream?: UpstreamFault): JsonObject {
  const type = FAULTS[fault.code].anthropic;
  const known = upstream?.kind !== 'context' || fault.message.includes(TOO_LONG);
  const message = known ? fault.message : `${TOO_LONG}: ${fault.message}`;
  return { type: 'error', error: { type, message }, request_id: requestId };
}

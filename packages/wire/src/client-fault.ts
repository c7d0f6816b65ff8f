import { FAULTS, type Fault, getAnthropicFaultMessage } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';

/**
 * Converts a fault to the `error` object of the OpenAI dialects.
 * @example
 * toOpenAiError({ code: 'invalid_request', message: 'Wrong.', detail: { param: 'n' } }).param; // 'n'
 */
export function toOpenAiError(fault: Fault): JsonObject {
  return {
    message: fault.message,
    type: FAULTS[fault.code].openai,
    param: fault.detail.param ?? null,
    code: fault.detail.dialectCode ?? fault.code,
  };
}

/**
 * Converts a fault to the error event of a Messages stream.
 * @example
 * toAnthropicErrorEvent({ code: 'invalid_request', message: 'Wrong.', detail: {} }, 'req_1').request_id; // 'req_1'
 */
export function toAnthropicErrorEvent(fault: Fault, requestId: string): JsonObject {
  const { anthropicDetails: details } = fault.detail;
  const error = {
    type: FAULTS[fault.code].anthropic,
    message: getAnthropicFaultMessage(fault),
    ...(details && { details }),
  };
  return { type: 'error', error, request_id: requestId };
}

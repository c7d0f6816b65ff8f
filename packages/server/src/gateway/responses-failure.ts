import type { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { toOpenAiError } from '@floe/wire/client-fault';
import { formatSseFrame } from '@floe/wire/sse';

/**
 * Formats the error event and the final event of a failed Responses stream. Both are needed,
 * because agents wait for the final event.
 */
export function formatResponsesFailure(
  fault: Fault,
  response: JsonObject | null,
  lastData: string,
  requestId: string,
): string {
  const last = Number(/"sequence_number"\s*:\s*(\d+)/.exec(lastData)?.[1] ?? -1);
  const error = toOpenAiError(fault);
  const { code, message, param } = error;
  const flat = { type: 'error', sequence_number: last + 1, code, message, param, error };
  const failed = {
    type: 'response.failed',
    sequence_number: last + 2,
    response: {
      object: 'response',
      id: `resp_${requestId}`,
      output: [],
      ...response,
      status: 'failed',
      error: { code, message },
    },
  };
  return (
    formatSseFrame('error', JSON.stringify(flat)) + formatSseFrame('response.failed', JSON.stringify(failed))
  );
}

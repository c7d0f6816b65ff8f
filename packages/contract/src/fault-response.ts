import { FAULTS, type Fault, getAnthropicFaultMessage } from './faults.ts';

/**
 * The format of the body of an error response. `openai` is used for Chat Completions, Responses and `/api`, and
 * `anthropic` for Messages.
 */
export type ErrorBodyFormat = 'openai' | 'anthropic';

/** Formats the JSON body of an error response. */
export function formatFaultBody(fault: Fault, requestId: string, shape: ErrorBodyFormat): string {
  const { code, message, detail } = fault;
  if (shape === 'anthropic') {
    const error = {
      type: FAULTS[code].anthropic,
      message: getAnthropicFaultMessage(fault),
      code: detail.dialectCode ?? code,
      param: detail.param,
      details: detail.anthropicDetails,
    };
    return JSON.stringify({ type: 'error', error, request_id: requestId });
  }
  const error = {
    message,
    type: FAULTS[code].openai,
    param: detail.param ?? null,
    code: detail.dialectCode ?? code,
    ...(detail.phase === undefined ? {} : { phase: detail.phase }),
  };
  return JSON.stringify({ error, request_id: requestId });
}

/** Default wait of a 429 or 503 without an estimate. */
const DEFAULT_WAIT_MS = 1000;

/**
 * Returns the headers of an error response, as alternating names and values. They are the same for all APIs.
 */
export function buildFaultHeaders(fault: Fault): string[] {
  const headers = ['x-floe-error-source', fault.source];
  const { status } = fault;
  const waitMs =
    fault.detail.retryAfterMs ?? (status === 429 || status === 503 ? DEFAULT_WAIT_MS : undefined);
  if (waitMs !== undefined)
    headers.push(
      'retry-after',
      String(Math.max(1, Math.ceil(waitMs / 1000))),
      'retry-after-ms',
      String(Math.ceil(waitMs)),
    );
  if ('retry' in FAULTS[fault.code]) headers.push('x-should-retry', 'false');
  return headers;
}

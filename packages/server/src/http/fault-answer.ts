import type { ErrorBody } from '@floe/contract/api/errors';
import { FAULTS, Fault, type FaultCode } from '@floe/contract/faults';

export interface FaultAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/**
 * The answer to a failed request under `/api` and `/relay`: the OpenAI error shape. What is neither a
 * `Fault` nor a refusal by Fastify is a bug: 500 `internal_error` without detail, which the caller logs.
 */
export function faultAnswer(error: unknown, requestId: string): FaultAnswer {
  const fault =
    error instanceof Fault
      ? error
      : (refusal(error) ??
        new Fault('internal_error', `Something went wrong here. The log has it under ${requestId}.`));
  return { status: fault.status, headers: faultHeaders(fault, requestId), body: faultBody(fault, requestId) };
}

/** What Fastify itself refuses, by its documented error codes. */
const REFUSALS: Readonly<Record<string, readonly [FaultCode, string]>> = {
  FST_ERR_BAD_URL: ['invalid_request', 'The path of this URL cannot be decoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'Nothing here has an id this long.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['request_too_large', 'A body under /api may have 1 MB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as its Content-Length.'],
};

function refusal(error: unknown): Fault | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const known = Object.hasOwn(REFUSALS, error.code) ? REFUSALS[error.code] : undefined;
  return known && new Fault(known[0], known[1], { cause: error });
}

function faultBody(fault: Fault, requestId: string): ErrorBody {
  return {
    error: {
      message: fault.message,
      type: FAULTS[fault.code].openai,
      param: fault.detail.param ?? null,
      code: fault.code,
    },
    request_id: requestId,
  };
}

/** What a 429 or 503 without a better estimate asks for. */
const DEFAULT_RETRY_MS = 1000;

function faultHeaders(fault: Fault, requestId: string): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    'x-floe-error-source': fault.source,
  };
  const retryAfterMs =
    fault.detail.retryAfterMs ??
    (fault.status === 429 || fault.status === 503 ? DEFAULT_RETRY_MS : undefined);
  if (retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
    headers['retry-after-ms'] = String(Math.ceil(retryAfterMs));
  }
  if ('retry' in FAULTS[fault.code]) headers['x-should-retry'] = 'false';
  return headers;
}

import { Fault, type FaultCode } from '@floe/contract/faults';
import { OrgQueueFullError } from '../core/org-pacer.ts';

/**
 * Converts an error of a request under `/api` or `/relay` to the fault that the client receives.
 * Any error other than a `Fault`, a full queue or a rejection by Fastify is a bug. It becomes `internal_error`
 * without details, and the caller logs it.
 */
export function toApiFault(error: unknown, requestId: string, bodyLimit: number): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof OrgQueueFullError)
    return new Fault('overloaded', `${error.message} Retry the request.`, {
      retryAfterMs: 1_000,
      cause: error,
    });
  return (
    toFastifyFault(error, bodyLimit) ??
    new Fault(
      'internal_error',
      `An internal error occurred. The server log has details under request id ${requestId}.`,
    )
  );
}

/** Faults for rejections by Fastify, by its documented error codes. */
const FASTIFY_FAULTS: Readonly<Record<string, readonly [FaultCode, string]>> = {
  FST_ERR_BAD_URL: ['invalid_request', 'The path of this URL cannot be decoded. Percent-encode it as UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'The id in the path is too long: no resource has this id.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The content type must be application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The length of the body must match the Content-Length header.',
  ],
};

const KB = 1024;

function formatSize(bytes: number): string {
  return bytes >= KB * KB ? `${bytes / KB / KB} MB` : `${bytes / KB} KB`;
}

function toFastifyFault(error: unknown, bodyLimit: number): Fault | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Fault('request_too_large', `The request body must be at most ${formatSize(bodyLimit)}.`, {
      cause: error,
    });
  const known = Object.hasOwn(FASTIFY_FAULTS, error.code) ? FASTIFY_FAULTS[error.code] : undefined;
  return known && new Fault(known[0], known[1], { cause: error });
}

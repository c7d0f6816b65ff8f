/** An error response of the API, with the details that help the user to resolve the problem. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. 0 without a response. */
  readonly status: number;
  /** Stable error code from docs/reference/errors.md. `network` without a response. */
  readonly code: string;
  /** Path of the field with the error, such as `targets[1].weight`. Null if the error belongs to no field. */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(details: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly param?: string | null;
    readonly requestId?: string | null;
    readonly retryAfterMs?: number | null;
  }) {
    super(details.message);
    this.status = details.status;
    this.code = details.code;
    this.param = details.param ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

const SIGNED_OUT = 'You are signed out because your session ended. Sign in again.';

const ALREADY_DONE =
  'Floe already processed this request, but the response was lost. The response contained a secret that is shown only once. To get a new key value, rotate the key. To get a new invitation link, revoke the invitation and create another one.';

/**
 * Converts an error response to an `ApiError`. The response can also come from a proxy and have another format.
 */
export function parseApiError(status: number, headers: Headers, text: string): ApiError {
  const requestId = headers.get('x-request-id');
  const wait = Number(
    headers.get('retry-after-ms') ?? Number(headers.get('retry-after') ?? Number.NaN) * 1000,
  );
  const retryAfterMs = Number.isFinite(wait) && wait > 0 ? wait : null;
  const error = errorOf(text);
  const code = textOf(error, 'code') ?? 'unreadable_answer';
  const param = textOf(error, 'param');
  return new ApiError({
    status,
    code,
    message:
      // The server's messages are for API clients. The console has a session, and its forms choose the Idempotency-Key.
      (code === 'missing_api_key'
        ? SIGNED_OUT
        : param === 'Idempotency-Key'
          ? ALREADY_DONE
          : textOf(error, 'message')) ??
      `A proxy between this browser and Floe returned status ${status}. Check the proxy, then try again.`,
    param,
    requestId,
    retryAfterMs,
  });
}

/** Returns the error for a request that got no response because Floe or the network is unavailable. */
export function createUnreachableError(): ApiError {
  return new ApiError({
    status: 0,
    code: 'network',
    message: 'Floe did not respond. Check that it is running and that this device is online.',
  });
}

/**
 * Converts any error to an `ApiError`. Errors that did not come from the API, such as errors of the browser,
 * have status 0. Returns null for null.
 */
export function toApiError(error: Error | null): ApiError | null {
  if (error === null || error instanceof ApiError) return error;
  return new ApiError({
    status: 0,
    code: 'console',
    message: error.message || 'An unexpected error occurred in the console. Reload the page.',
  });
}

function errorOf(text: string): object | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('error' in body)) return null;
    return typeof body.error === 'object' ? body.error : null;
  } catch {
    return null;
  }
}

function textOf(from: object | null, name: string): string | null {
  if (from === null) return null;
  const value: unknown = Reflect.get(from, name);
  return typeof value === 'string' && value !== '' ? value : null;
}

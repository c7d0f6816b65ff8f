/** The properties of an error in addition to its message. */
export interface FloeErrorDetail {
  /** Stable code for programs: from the server if available, otherwise from this SDK. */
  readonly code: string;
  /** Whether the same call may succeed if it is repeated soon. */
  readonly retryable?: boolean;
  /** HTTP status. Null without a response. */
  readonly status?: number | null;
  /** The server's id of this request. Include it in support requests. */
  readonly requestId?: string | null;
  /** The delay in seconds that the server requests before the next attempt. Null if it requests none. */
  readonly retryAfterSeconds?: number | null;
}

/**
 * The base class of all errors in this SDK. Only the constructor of `Floe` throws errors. All other errors
 * are part of results or are passed to `onError`.
 */
export class FloeError extends Error {
  override readonly name: string = 'FloeError';
  readonly code: string;
  readonly retryable: boolean;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, detail: FloeErrorDetail) {
    super(message);
    this.code = detail.code;
    this.retryable = detail.retryable ?? false;
    this.status = detail.status ?? null;
    this.requestId = detail.requestId ?? null;
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null;
  }
}

/** Indicates that an argument is not valid, such as a missing key or URL. The code is `invalid_argument`. */
export class FloeInvalidArgumentError extends FloeError {
  override readonly name = 'FloeInvalidArgumentError';

  constructor(message: string) {
    super(message, { code: 'invalid_argument' });
  }
}

/**
 * Indicates that there was no complete response: the connection was refused or reset, the host is unknown, or
 * the response was truncated. The code is `connection_failed`, `dropped` or `stopped`.
 */
export class FloeConnectionError extends FloeError {
  override readonly name = 'FloeConnectionError';
}

/** Indicates that the response was not complete within the time limit. The code is `timed_out`. */
export class FloeTimeoutError extends FloeError {
  override readonly name = 'FloeTimeoutError';
}

/**
 * Indicates that the response is not from Floe: it is an HTML page, a redirect, or incomplete JSON. The code
 * is `unexpected_response` or `redirected`.
 */
export class FloeUnexpectedResponseError extends FloeError {
  override readonly name = 'FloeUnexpectedResponseError';
}

/** Indicates that the server rejected the request. This is the base class of the errors for each status. */
export class FloeApiError extends FloeError {
  override readonly name: string = 'FloeApiError';
}

/**
 * Indicates status 401 or 403: the key is missing, not valid or revoked, or does not have the required scope.
 */
export class FloeAuthenticationError extends FloeApiError {
  override readonly name = 'FloeAuthenticationError';
}

/**
 * Indicates status 404: the organization of the key has no monitor with this id, or the base URL is not that of
 * Floe.
 */
export class FloeMonitorNotFoundError extends FloeApiError {
  override readonly name = 'FloeMonitorNotFoundError';
}

/** Indicates status 429: there were too many requests. */
export class FloeRateLimitError extends FloeApiError {
  override readonly name = 'FloeRateLimitError';
}

/** Indicates status 408 or 5xx, which are temporary errors of the server. */
export class FloeServerError extends FloeApiError {
  override readonly name = 'FloeServerError';
}

/** Indicates a 4xx status for which no other error class exists. The server will reject the same request again. */
export class FloeRequestError extends FloeApiError {
  override readonly name = 'FloeRequestError';
}

/**
 * Indicates that a heartbeat loop did not send a beat, so that the monitor fails. Either `healthy` did not
 * return true within the time limit (code `unhealthy`), or `touch()` was not called for `stallAfterSeconds`
 * (code `stalled`).
 */
export class FloeUnhealthyError extends FloeError {
  override readonly name = 'FloeUnhealthyError';
}

/** Creates the error for a response with an HTTP status of 400 or above. */
export function createApiError(
  message: string,
  detail: FloeErrorDetail & { readonly status: number },
): FloeApiError {
  const { status } = detail;
  if (status === 401 || status === 403) return new FloeAuthenticationError(message, detail);
  if (status === 404) return new FloeMonitorNotFoundError(message, detail);
  if (status === 429) return new FloeRateLimitError(message, { ...detail, retryable: true });
  if (status === 408 || status >= 500) return new FloeServerError(message, { ...detail, retryable: true });
  return new FloeRequestError(message, detail);
}

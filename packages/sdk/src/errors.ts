/** The properties of an error in addition to its message. */
export interface FloeErrorDetail {
  /** Stable code for programs: from the server if available, otherwise from this SDK. */
  readonly code: string;
  /** Whether the same call may succeed shortly after. */
  readonly retryable?: boolean;
  /** HTTP status. Null without a response. */
  readonly status?: number | null;
  /** The server's id of this request. Include it in support requests. */
  readonly requestId?: string | null;
  /** Requested delay of the server in seconds. */
  readonly retryAfterSeconds?: number | null;
}

/**
 * The base class of all errors in this SDK. Only the constructor of `Floe` throws such an error.
 * All others are part of results or are passed to `onError`.
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

/** Indicates an invalid argument, such as a missing key or URL. The code is `invalid_argument`. */
export class FloeConfigurationError extends FloeError {
  override readonly name = 'FloeConfigurationError';

  constructor(message: string) {
    super(message, { code: 'invalid_argument' });
  }
}

/**
 * Indicates that there was no complete response: the connection was refused or reset, the host is
 * unknown, or the response was truncated. The code is `connection_failed` or `stopped`.
 */
export class FloeConnectionError extends FloeError {
  override readonly name = 'FloeConnectionError';
}

/** Indicates that the response was not complete in time. The code is `timed_out`. */
export class FloeTimeoutError extends FloeError {
  override readonly name = 'FloeTimeoutError';
}

/**
 * Indicates that the response is not from Floe: an HTML page, a redirect, or incomplete JSON. The
 * code is `unexpected_answer` or `redirected`.
 */
export class FloeResponseError extends FloeError {
  override readonly name = 'FloeResponseError';
}

/** Indicates that the server rejected the call. */
export class FloeApiError extends FloeError {
  override readonly name: string = 'FloeApiError';
}

/** Indicates status 401 or 403: the key is missing, invalid or revoked, or lacks the scope. */
export class FloeAuthenticationError extends FloeApiError {
  override readonly name = 'FloeAuthenticationError';
}

/**
 * Indicates status 404: the key's organization has no such monitor, or the base URL does not belong
 * to Floe.
 */
export class FloeMonitorNotFoundError extends FloeApiError {
  override readonly name = 'FloeMonitorNotFoundError';
}

/** Indicates status 429: too many requests. */
export class FloeRateLimitError extends FloeApiError {
  override readonly name = 'FloeRateLimitError';
}

/** Indicates status 408 or 5xx: a temporary server error. */
export class FloeServerError extends FloeApiError {
  override readonly name = 'FloeServerError';
}

/** Indicates any other 4xx status: the server will reject this call permanently. */
export class FloeRequestError extends FloeApiError {
  override readonly name = 'FloeRequestError';
}

/**
 * Indicates that the loop withheld a beat, so that the monitor fails. Either `healthy` returned
 * false, threw or timed out (code `unhealthy`), or `touch()` was not called for longer than
 * `stallAfterSeconds` (code `stalled`).
 */
export class FloeUnhealthyError extends FloeError {
  override readonly name = 'FloeUnhealthyError';
}

/** Creates the error for an HTTP status of 400 or above. */
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

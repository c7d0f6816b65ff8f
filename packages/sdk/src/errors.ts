/** Properties of an error in addition to its message. */
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
 * Base class of all errors of this SDK. Only the constructor of `Floe` throws one. All others are part of
 * results or passed to `onError`.
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

/** An invalid argument, such as a missing key or URL. Code `invalid_argument`. */
export class FloeConfigurationError extends FloeError {
  override readonly name = 'FloeConfigurationError';

  constructor(message: string) {
    super(message, { code: 'invalid_argument' });
  }
}

/**
 * No complete response: connection refused or reset, unknown host, truncated response. Code
 * `connection_failed` or `stopped`.
 */
export class FloeConnectionError extends FloeError {
  override readonly name = 'FloeConnectionError';
}

/** The response was not complete in time. Code `timed_out`. */
export class FloeTimeoutError extends FloeError {
  override readonly name = 'FloeTimeoutError';
}

/**
 * The response is not from Floe: an HTML page, a redirect, incomplete JSON. Code `unexpected_answer` or
 * `redirected`.
 */
export class FloeResponseError extends FloeError {
  override readonly name = 'FloeResponseError';
}

/** The server rejected the call. */
export class FloeApiError extends FloeError {
  override readonly name: string = 'FloeApiError';
}

/** 401 or 403: the key is missing, invalid or revoked, or lacks the scope. */
export class FloeAuthenticationError extends FloeApiError {
  override readonly name = 'FloeAuthenticationError';
}

/** 404: the key's organization has no such monitor, or the base URL is not that of Floe. */
export class FloeMonitorNotFoundError extends FloeApiError {
  override readonly name = 'FloeMonitorNotFoundError';
}

/** 429: too many requests. */
export class FloeRateLimitError extends FloeApiError {
  override readonly name = 'FloeRateLimitError';
}

/** 408 or 5xx: a temporary error of the server. */
export class FloeServerError extends FloeApiError {
  override readonly name = 'FloeServerError';
}

/** Any other 4xx: the server rejects this call permanently. */
export class FloeRequestError extends FloeApiError {
  override readonly name = 'FloeRequestError';
}

/**
 * The loop withheld a beat, so that the monitor fails: `healthy` returned false, threw or timed out (code
 * `unhealthy`), or `touch()` was not called for longer than `stallAfterSeconds` (code `stalled`).
 */
export class FloeUnhealthyError extends FloeError {
  override readonly name = 'FloeUnhealthyError';
}

/** Creates the error for an HTTP status of 400 and above. */
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

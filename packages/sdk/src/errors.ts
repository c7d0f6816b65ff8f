/** What an error says besides its message. */
export interface FloeErrorDetail {
  /** Stable, for programs: the server's own code where it gave one, else one of this SDK. */
  readonly code: string;
  /** Whether the same call may succeed a moment later. */
  readonly retryable?: boolean;
  /** HTTP status, when an answer came. */
  readonly status?: number | null;
  /** The server's name for this request; quote it when asking for help. */
  readonly requestId?: string | null;
  /** How long the server asked to wait, in seconds. */
  readonly retryAfterSeconds?: number | null;
}

/** Everything this SDK reports. Only the constructor of `Floe` throws one; all others are handed over. */
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

/** An argument that can never work: no key, no address. Code `invalid_argument`. */
export class FloeConfigurationError extends FloeError {
  override readonly name = 'FloeConfigurationError';

  constructor(message: string) {
    super(message, { code: 'invalid_argument' });
  }
}

/** No answer, or not all of it: refused, reset, no such host, broken off. Code `connection_failed` or `stopped`. */
export class FloeConnectionError extends FloeError {
  override readonly name = 'FloeConnectionError';
}

/** The answer was not complete in time. Code `timed_out`. */
export class FloeTimeoutError extends FloeError {
  override readonly name = 'FloeTimeoutError';
}

/** Something answered that is not Floe: a page, a redirect, half of a JSON. Code `unexpected_answer` or `redirected`. */
export class FloeResponseError extends FloeError {
  override readonly name = 'FloeResponseError';
}

/** The server refused the call. */
export class FloeApiError extends FloeError {
  override readonly name: string = 'FloeApiError';
}

/** 401, 403: the key is missing, wrong, revoked or lacks the scope. */
export class FloeAuthenticationError extends FloeApiError {
  override readonly name = 'FloeAuthenticationError';
}

/** 404: no such monitor in the organization of this key, or the base address is not Floe's. */
export class FloeMonitorNotFoundError extends FloeApiError {
  override readonly name = 'FloeMonitorNotFoundError';
}

/** 429. */
export class FloeRateLimitError extends FloeApiError {
  override readonly name = 'FloeRateLimitError';
}

/** 408 and 5xx: the server could not, this time. */
export class FloeServerError extends FloeApiError {
  override readonly name = 'FloeServerError';
}

/** Any other 4xx: the server will not take this call. */
export class FloeRequestError extends FloeApiError {
  override readonly name = 'FloeRequestError';
}

/**
 * A loop kept its beat back, so that the monitor fails: `healthy` said no, threw or did not answer (code
 * `unhealthy`), or nobody called `touch()` for longer than `stallAfterSeconds` (code `stalled`).
 */
export class FloeUnhealthyError extends FloeError {
  override readonly name = 'FloeUnhealthyError';
}

/** The error for an HTTP status of 400 and above. */
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

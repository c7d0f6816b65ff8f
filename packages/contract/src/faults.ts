import type { JsonObject } from './json.ts';

/**
 * The table of error codes, which are public and permanent. A code is never renamed or reused. A test
 * compares `docs/reference/errors.md` with this table.
 * `status` is the HTTP status. `openai` and `anthropic` are the `error.type` in the body of each dialect.
 * `retry: false` sends `x-should-retry: false`, because the official SDKs would otherwise retry.
 */
interface FaultSpec {
  readonly status: number;
  readonly openai: string;
  readonly anthropic: string;
  readonly retry?: false;
  /**
   * Floe rejects the request because of a rule and not because of an error. The exchange has the state
   * `blocked`.
   */
  readonly blocks?: true;
}

const invalid = { openai: 'invalid_request_error', anthropic: 'invalid_request_error' } as const;
const unauthorized = { openai: 'invalid_request_error', anthropic: 'authentication_error' } as const;
const forbidden = { openai: 'permission_error', anthropic: 'permission_error' } as const;
const missing = { openai: 'invalid_request_error', anthropic: 'not_found_error' } as const;
const limited = { openai: 'rate_limit_error', anthropic: 'rate_limit_error' } as const;
const broken = { openai: 'api_error', anthropic: 'api_error' } as const;
const overloaded = { openai: 'service_unavailable_error', anthropic: 'overloaded_error' } as const;

/** All error codes with their HTTP status and error types. */
export const FAULTS = {
  invalid_json: { status: 400, ...invalid },
  invalid_request: { status: 400, ...invalid },
  unsupported_parameter: { status: 400, ...invalid },
  missing_required_parameter: { status: 400, ...invalid },
  reason_required: { status: 400, ...invalid, retry: false },
  evaluation_limit_exceeded: { status: 400, ...invalid, retry: false },
  previous_response_not_found: { status: 400, ...invalid },
  missing_api_key: { status: 401, ...unauthorized },
  invalid_api_key: { status: 401, ...unauthorized },
  key_expired: { status: 401, ...unauthorized },
  key_revoked: { status: 401, ...unauthorized },
  session_expired: { status: 401, ...unauthorized, retry: false },
  sign_in_failed: { status: 401, ...unauthorized, retry: false },
  budget_exceeded: {
    status: 402,
    openai: 'insufficient_quota',
    anthropic: 'billing_error',
    retry: false,
    blocks: true,
  },
  insufficient_scope: { status: 403, ...forbidden, retry: false },
  insufficient_role: { status: 403, ...forbidden, retry: false },
  step_up_required: { status: 403, ...forbidden, retry: false },
  model_not_allowed: { status: 403, ...forbidden, retry: false, blocks: true },
  policy_denied: { status: 403, ...forbidden, retry: false, blocks: true },
  cross_site_request: { status: 403, ...forbidden, retry: false },
  price_unknown: { status: 403, ...forbidden, retry: false, blocks: true },
  model_not_found: { status: 404, ...missing },
  not_found: { status: 404, ...missing },
  monitor_not_found: { status: 404, ...missing },
  method_not_allowed: { status: 405, ...invalid },
  request_timeout: { status: 408, openai: 'invalid_request_error', anthropic: 'timeout_error' },
  conflict: { status: 409, openai: 'conflict_error', anthropic: 'conflict_error', retry: false },
  managed_by_file: { status: 409, openai: 'conflict_error', anthropic: 'conflict_error', retry: false },
  link_expired: { status: 410, ...invalid, retry: false },
  precondition_failed: { status: 412, ...invalid },
  request_too_large: { status: 413, openai: 'invalid_request_error', anthropic: 'request_too_large' },
  unsupported_media_type: { status: 415, ...invalid },
  websocket_unsupported: { status: 426, ...invalid, retry: false },
  rate_limit_exceeded: { status: 429, ...limited, blocks: true },
  budget_reserved: { status: 429, ...limited, blocks: true },
  too_many_attempts: { status: 429, ...limited },
  upstream_rate_limited: { status: 429, ...limited },
  headers_too_large: { status: 431, ...invalid },
  internal_error: { status: 500, ...broken },
  upstream_error: { status: 502, ...broken },
  upstream_unreachable: { status: 502, ...broken },
  upstream_stream_broken: { status: 502, ...broken },
  upstream_auth_failed: { status: 502, ...broken, retry: false },
  unsupported_response: { status: 502, ...broken, retry: false },
  no_healthy_target: { status: 503, ...overloaded },
  overloaded: { status: 503, ...overloaded },
  auth_unavailable: { status: 503, ...overloaded },
  shutting_down: { status: 503, ...overloaded },
  upstream_timeout: { status: 504, openai: 'api_error', anthropic: 'timeout_error' },
} as const satisfies Record<string, FaultSpec>;

export type FaultCode = keyof typeof FAULTS;

/**
 * Who caused an error: `gateway` if Floe rejected the request, `upstream` if the provider failed or
 * responded with an error, including 4xx.
 */
export type FaultSource = 'gateway' | 'upstream';

/** Details of a fault, such as the path of the invalid field. All are optional. */
export interface FaultDetail {
  /** Path of the invalid field in the request, such as `messages[0].role`. */
  readonly param?: string;
  /** Milliseconds until a retry can succeed. Sent as `retry-after` and `retry-after-ms`. */
  readonly retryAfterMs?: number;
  /** The limit or budget that rejected the request, for the exchange row. */
  readonly rule?: { readonly kind: 'limit' | 'budget'; readonly id: string };
  /** The requested model, if the message is about another part of the request, for the exchange row. */
  readonly model?: string;
  /**
   * The org's allowlist excludes a model that its provider offers. Counts as a block, even though the code is
   * `model_not_found`.
   */
  readonly notAllowlisted?: true;
  /** The timeout that expired (`upstream_timeout`): connect, headers, first_token, idle or total. */
  readonly phase?: string;
  /** HTTP status of the upstream response, for the exchange row. */
  readonly upstreamStatus?: number;
  /** Error status that a response with status 200 contains in its body or in an event. Determines retries. */
  readonly reportedStatus?: number;
  /**
   * Start of the upstream response body, for the exchange row. Never sent to clients for credential failures.
   */
  readonly upstreamBody?: string;
  /** The provider account has no credit or quota left, so waiting does not help. */
  readonly spent?: true;
  /**
   * A code of the client's dialect that agents act on, such as `context_length_exceeded`. Sent instead of
   * Floe's code.
   */
  readonly dialectCode?: string;
  /** A status that the SDKs of the client's dialect define. Sent instead of the status of Floe's error code. */
  readonly dialectStatus?: 409 | 422;
  /** The `details` of an error of the Messages API. They cause SDKs to send the request again in another form. */
  readonly anthropicDetails?: JsonObject;
  readonly cause?: unknown;
}

/**
 * An expected error, which Floe sends to the caller or records with its code. Any other `Error` is a bug and is
 * reported as `internal_error`.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly detail: FaultDetail;

  constructor(code: FaultCode, message: string, detail: FaultDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.detail = detail;
  }

  get status(): number {
    return this.detail.dialectStatus ?? FAULTS[this.code].status;
  }

  /** Whether Floe rejected the request because of a rule. This is neither a client error nor an outage. */
  get isBlock(): boolean {
    const spec: FaultSpec = FAULTS[this.code];
    const isOwn = this.source === 'gateway';
    return isOwn && (spec.blocks === true || this.detail.notAllowlisted === true);
  }

  get source(): FaultSource {
    const isUpstreams = this.code.startsWith('upstream_') || this.detail.upstreamStatus !== undefined;
    return isUpstreams ? 'upstream' : 'gateway';
  }
}

/** Agents that use Messages shorten the conversation when an error has this text. */
const TOO_LONG = 'prompt is too long';

/**
 * Returns the message of a fault for clients of the Messages API. If the prompt is too long, adds the text by
 * which agents recognize this error.
 */
export function getAnthropicFaultMessage({ message, detail }: Fault): string {
  const isKnown = detail.dialectCode !== 'context_length_exceeded' || message.includes(TOO_LONG);
  return isKnown ? message : `${TOO_LONG}: ${message}`;
}

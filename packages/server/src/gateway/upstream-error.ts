import { Fault, type FaultDetail } from '@floe/contract/faults';
import {
  describeAccountError,
  parseUpstreamFault,
  toClientFault,
  type UpstreamFaultKind,
} from '@floe/wire/upstream-fault';
import { isOpenFileLimitError } from '../core/open-file-limit.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { ErrorStatusOverride, ProviderDefinition } from '../providers/provider-definition.ts';
import {
  ConnectionClosedEarlyError,
  MalformedResponseError,
  UnsendableRequestError,
  type UpstreamHeaders,
  type UpstreamResponse,
} from '../providers/transport.ts';

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_BODY_CHARACTERS = 2000;
/**
 * The longest wait that is accepted from a provider: one day, because daily quotas exist. A longer wait is
 * reduced to it.
 */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * An error response of a provider that reports a mistake of the client. Floe forwards it with its original
 * status and bytes.
 */
export class ForwardedUpstreamError extends Error {
  override readonly name = 'ForwardedUpstreamError';
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Whether the request is too long for the model. */
  readonly isContextLength: boolean;

  /** Further response headers to forward, as a flat list. */
  readonly headers: readonly string[];

  constructor(
    status: number,
    contentType: string,
    body: Buffer,
    more: { readonly isContextLength?: boolean; readonly headers?: readonly string[] } = {},
  ) {
    super(`the provider rejected the request with status ${status}`);
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.isContextLength = more.isContextLength ?? false;
    this.headers = more.headers ?? [];
  }

  /** Converts the error to a fault, for use when its status and body can no longer be sent. */
  toFault(): Fault {
    return toClientFault(parseUpstreamFault(this.status, {}, this.body.toString('utf8')));
  }
}

/**
 * Converts a provider's error response to the error for the client. The type of the error depends on whether
 * the client, the provider or the operator caused it.
 */
export function parseUpstreamError(
  { id: provider, definition }: Pick<Provider, 'id' | 'definition'>,
  { status, headers, body }: UpstreamResponse,
): Fault | ForwardedUpstreamError {
  const text = body.toString('utf8');
  const { kind, message } = parseUpstreamFault(status, {}, text);
  const meaning = findErrorStatusMeaning(definition, status, text) ?? statusMeaning(status);
  const detail = { upstreamStatus: status, upstreamBody: text.slice(0, MAX_BODY_CHARACTERS) };
  const fault = findOperatorFixableFault(provider, { kind, meaning }, detail);
  if (fault) return fault;
  if (meaning === 'request') {
    const type = getUpstreamHeader(headers, 'content-type') ?? 'application/json';
    return new ForwardedUpstreamError(status, type, body, { isContextLength: kind === 'context' });
  }
  const retryAfterMs = parseRetryAfterMs(headers);
  const code = meaning === 'rate' ? 'upstream_rate_limited' : 'upstream_error';
  return new Fault(code, `${provider} returned ${status}: ${truncateMessage(message)}`, {
    ...detail,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/**
 * Returns the fault for an error response that only the operator can fix: a rejected credential, an account
 * without credit, or a redirect. Clients of every dialect receive this fault, regardless of the status that
 * the provider sent. Returns undefined for other errors.
 */
export function findOperatorFixableFault(
  provider: string,
  { kind, meaning }: { readonly kind: UpstreamFaultKind; readonly meaning: ErrorMeaning | undefined },
  detail: FaultDetail & { readonly upstreamStatus: number },
): Fault | undefined {
  const { upstreamStatus: status } = detail;
  if (meaning === 'bad_credentials' && kind !== 'quota')
    return new Fault('upstream_auth_failed', describeAccountError('credential', provider), detail);
  if (status >= 300 && status < 400)
    return new Fault(
      'upstream_error',
      `${provider} responded with a redirect (${status}), which Floe does not follow. Set base_url of the provider to the final URL.`,
      detail,
    );
  // Not a rate limit, because waiting does not help.
  if (kind !== 'quota') return undefined;
  return new Fault('upstream_auth_failed', describeAccountError('quota', provider), {
    ...detail,
    spent: true,
  });
}

type ErrorMeaning = ErrorStatusOverride['means'];

/**
 * Returns the meaning that the provider definition assigns to an error response with this status and text. Returns
 * undefined if no rule matches.
 */
export function findErrorStatusMeaning(
  definition: ProviderDefinition,
  status: number,
  text: string,
): ErrorMeaning | undefined {
  const lower = text.toLowerCase();
  return definition.errors?.find((rule) => rule.status === status && lower.includes(rule.text))?.means;
}

function statusMeaning(status: number): ErrorMeaning {
  if (status === 401 || status === 403) return 'bad_credentials';
  if (status === 429) return 'rate';
  return status >= 400 && status < 500 ? 'request' : 'overloaded';
}

/** Truncates a provider's message for an error text. */
function truncateMessage(message: string): string {
  const text = message.trim();
  return text.length > MAX_MESSAGE_CHARACTERS ? `${text.slice(0, MAX_MESSAGE_CHARACTERS)}…` : text;
}

/**
 * Returns how long the provider asks to wait, in milliseconds; undefined if it does not ask. `retry-after` is
 * in seconds or an HTTP date (RFC 9110, section 10.2.3). If `retry-after-ms` is also present, the larger
 * value is used, because one provider sends `retry-after-ms: 0`.
 */
export function parseRetryAfterMs(headers: UpstreamHeaders, nowMs: number = Date.now()): number | undefined {
  const waits: number[] = [];
  const ms = Number(getUpstreamHeader(headers, 'retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) waits.push(ms);
  const after = getUpstreamHeader(headers, 'retry-after');
  if (after !== undefined) {
    const seconds = Number(after);
    const date = Date.parse(after);
    if (Number.isFinite(seconds) && seconds >= 0) waits.push(seconds * 1000);
    else if (Number.isFinite(date)) waits.push(Math.max(0, date - nowMs));
  }
  return waits.length === 0 ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(...waits));
}

/**
 * Returns the value of a header in a provider's response. If the header is repeated, returns the
 * first value.
 */
export function getUpstreamHeader(headers: UpstreamHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Converts a connection error from Floe's HTTP reader, Node.js or undici to a fault. */
export function toNetworkFault(provider: string, error: Error, headSeen: boolean): Fault {
  const code = networkErrorCode(error);
  const cause = error;
  if (isOpenFileLimitError(error))
    return new Fault(
      'overloaded',
      `Floe could not open a connection to ${provider}, because Floe has reached its limit of open connections and files. Send the request again.`,
      { retryAfterMs: 1_000, cause },
    );
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new Fault(
      'upstream_timeout',
      `${provider} did not accept the connection in time. Send the request again.`,
      {
        phase: 'connect',
        cause,
      },
    );
  // The second and third are the errors of undici for uploads. Its parser has a name but not always a code.
  if (
    error instanceof MalformedResponseError ||
    error.name === 'HTTPParserError' ||
    code === 'UND_ERR_HEADERS_OVERFLOW'
  )
    return new Fault(
      'upstream_error',
      `${provider} did not respond with valid HTTP (${code}). Check the provider's base_url.`,
      { cause },
    );
  if (headSeen)
    return new Fault(
      'upstream_stream_broken',
      `${provider} closed the connection in the middle of its response (${code}). Send the request again.`,
      { cause },
    );
  return new Fault('upstream_unreachable', describeUnreachable(provider, error, code), { cause });
}

function describeUnreachable(provider: string, error: Error, code: string): string {
  // Usually caused by a configured credential or header. The message contains nothing of the request.
  if (error instanceof UnsendableRequestError)
    return `The request to ${provider} was not sent: ${error.message} (${code}). Check the headers and the credential of the provider.`;
  if (error instanceof ConnectionClosedEarlyError)
    return `${provider} closed the connection without a response (${code}). Send the request again.`;
  return `${provider} could not be reached (${code}). Check the provider's base_url, or send the request again.`;
}

function networkErrorCode(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error.cause instanceof Error ? networkErrorCode(error.cause) : 'connection failed';
}

import { Fault, type FaultCode } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { asNumber, asObject, asString, isJsonArray, isJsonObject, tryParseJson } from './json-narrowing.ts';

/** The kind of a provider's error, independent of how the provider words it. */
export type UpstreamFaultKind =
  | 'credential'
  | 'permission'
  | 'model'
  | 'quota'
  | 'rate'
  | 'overloaded'
  | 'context'
  | 'filter'
  | 'too_large'
  | 'slow_request'
  | 'timeout'
  | 'invalid'
  | 'server';

/**
 * A provider's error in a dialect-independent form. `status` is 200 if the error was sent within a
 * stream.
 */
export interface UpstreamFault {
  readonly kind: UpstreamFaultKind;
  readonly status: number;
  /** The error status that the error contains, if it was sent with status 200. */
  readonly reportedStatus?: number | undefined;
  readonly message: string;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly body?: string | undefined;
}

const MAX_MESSAGE_CHARACTERS = 2048;

/** Response headers with one value each, by lowercase name. */
export type LowerCaseHeaders = Readonly<Record<string, string | undefined>>;

/** One day, because daily quotas exist. A longer delay is treated as an error of the provider. */
const MAX_RETRY_AFTER_MS = 86_400_000;

const CONTEXT_OVERFLOW =
  /prompt is too long|context_length_exceeded|exceeds the context window|maximum context length|input token count.{0,200}exceeds the maximum|input is too long|input tokens exceeded|too large for model with|reduce the length of the messages|maximum prompt length is|longer than the model's context|too_many_prompt_tokens|too many tokens|prompt too long|greater than the context length|exceeds the available context size|exceeded model token limit|range of input length should be|context window exceeds limit/i;
const NOT_CONTEXT_OVERFLOW = /throttl|rate limit|too many requests|service unavailable|quota|please wait/i;
const QUOTA_EXHAUSTED =
  /insufficient_quota|credit_balance_exhausted|spend_limit|usage_limit_exceeded|exceeded_current_quota|allocationquota|arrearage|credit balance is too low|you have reached your specified|billing_error|billing hard limit/i;
const BAD_KEY =
  /api_key_invalid|invalid_api_key|incorrect api key|api key not valid|invalid api key|authentication_error|unrecognizedclient|expiredtoken|invalidsignature|incompletesignature|requestexpired/i;
const CONTENT_FILTERED =
  /content_filter|content_policy|datainspectionfailed|responsibleaipolicyviolation|content management policy|moderation/i;
/** A signature or encrypted content that the provider cannot verify, because another account or model created it. */
const SEAL_REJECTED =
  /invalid_encrypted_content|item with id 'rs_[^']{0,200}' not found|(?:invalid|corrupted)[\s`'"\\]+(?:thought[\s_])?(?:signature|encrypted[\s_]content)\b|(?:signature|encrypted[\s_]content)\b.{0,200}(?:not be verified|not be decrypted|not issued|not valid)/i;
const BETA_FLAG_REJECTED = /invalid beta flag|unexpected value.{0,500}anthropic-beta/i;
const RATE_WORDS = /rate_limit|throttling|resource_exhausted|too_many_requests|slow_down/i;
const OVERLOAD_WORDS = /overloaded|service_unavailable|unavailable|modelnotready|engine_overloaded/i;

/**
 * Parses a provider's error body. Returns a fault even if the body is empty, invalid or in an unknown format.
 * @example
 * const fault = parseUpstreamFault(429, { 'retry-after': '2' }, '{"error":{"message":"slow down"}}');
 * fault.kind; // 'rate'
 * fault.retryAfterMs; // 2000
 */
export function parseUpstreamFault(status: number, headers: LowerCaseHeaders, body: string): UpstreamFault {
  const parsed = tryParseJson(body.trim());
  const root = asObject(isJsonArray(parsed) ? parsed[0] : parsed) ?? {};
  const fault = toUpstreamFault(status, root, body);
  const type = headers['x-amzn-errortype']?.split(':')[0];
  const named = type === undefined ? fault.kind : classify(status, `${type} ${fault.message}`);
  // With status 408, the request was too slow. With status 200, another service behind the provider was.
  const kind = named === 'timeout' && status === 408 ? 'slow_request' : named;
  const failed = status >= 400;
  return {
    ...fault,
    kind,
    code: type ?? fault.code,
    retryAfterMs: failed ? retryAfterMs(headers, root) : undefined,
    body: body.slice(0, 4096),
  };
}

/**
 * Converts an error object to an `UpstreamFault`. If it was sent with status 200, as a stream event or a JSON
 * body, it is classified as if it had been sent with the status that it contains.
 * @example
 * toUpstreamFault(200, { error: { code: 529, message: 'Overloaded' } }).kind; // 'overloaded'
 */
export function toUpstreamFault(status: number, root: JsonObject, body = ''): UpstreamFault {
  const error = isJsonArray(root['error']) ? asObject(root['error'][0]) : asObject(root['error']);
  const inner = error ?? asObject(root['base_resp']) ?? root;
  const reported = [
    inner['message'],
    root['error'],
    root['message'],
    root['Message'],
    detailText(root['detail']),
    inner['status_msg'],
    root['title'],
  ].find((text) => typeof text === 'string' && text !== '');
  const details = asObject(inner['details']);
  const reasons = isJsonArray(inner['details'])
    ? inner['details'].map((entry) => asString(asObject(entry)?.['reason']))
    : [];
  const word = [
    details?.['error_code'],
    ...reasons,
    inner['code'],
    inner['type'],
    inner['status'],
    root['code'],
    root['type'],
    inner['error_type'],
  ].find((text) => typeof text === 'string' && text !== '' && text !== 'error' && !/^\d+$/.test(text));
  const reportedStatus = status < 400 ? findErrorStatus(inner, root) : undefined;
  const text = String(reported ?? body.slice(0, 500));
  return {
    status,
    reportedStatus,
    kind: classify(reportedStatus ?? status, `${String(word ?? '')} ${String(inner['type'] ?? '')} ${text}`),
    message: reported === undefined ? describeBody(text, status) : text.slice(0, MAX_MESSAGE_CHARACTERS),
    code: asString(word),
    param: asString(inner['param']),
  };
}

/** Returns the first HTTP error status in an error object. Providers use several members for it. */
function findErrorStatus(inner: JsonObject, root: JsonObject): number | undefined {
  for (const place of inner === root ? [root] : [inner, root])
    for (const name of ['status_code', 'code', 'status']) {
      const value = place[name];
      const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : asNumber(value);
      if (status !== undefined && Number.isInteger(status) && status >= 400 && status < 600) return status;
    }
  return undefined;
}

/** Markup of a proxy or a firewall tells a client nothing. */
function describeBody(body: string, status: number): string {
  if (status < 400 && (body === '' || /^[[{]/.test(body.trimStart())))
    return 'The provider reported an error.';
  if (body === '') return 'The response of the provider has no body.';
  return /^\s*</.test(body) ? 'The response of the provider is an HTML page.' : body;
}

/** Statuses with a definite meaning. The `type` of the body does not turn a caller's error into an outage. */
const DEFINITE_STATUSES = new Set([400, 404, 405, 408, 409, 410, 411, 412, 414, 415, 422]);
/** Some providers report rate limits with these statuses. */
const RATE_LIMIT_STATUSES = new Set([400, 409]);

function classify(status: number, words: string): UpstreamFaultKind {
  const isDefinite = DEFINITE_STATUSES.has(status);
  if (CONTEXT_OVERFLOW.test(words) && !NOT_CONTEXT_OVERFLOW.test(words)) return 'context';
  if (status === 402 || QUOTA_EXHAUSTED.test(words)) return 'quota';
  if (status === 401 || BAD_KEY.test(words)) return 'credential';
  if (CONTENT_FILTERED.test(words)) return 'filter';
  if (status === 429) return 'rate';
  if (RATE_WORDS.test(words) && (!isDefinite || RATE_LIMIT_STATUSES.has(status))) return 'rate';
  if (status === 503 || status === 529 || status === 498) return 'overloaded';
  if (OVERLOAD_WORDS.test(words) && !isDefinite && status !== 403 && status !== 413) return 'overloaded';
  if (status === 403) return 'permission';
  if (status === 404 || status === 410 || /model_not_found/.test(words)) return 'model';
  if (status === 413) return 'too_large';
  if (status === 408 || status === 504) return 'timeout';
  if (status >= 400 && status < 500) return 'invalid';
  return 'server';
}

/**
 * Returns whether the text of an error states that the provider cannot verify a seal in the request.
 * @example
 * isSealRejection('Invalid `signature` in `thinking` block'); // true
 */
export function isSealRejection(text: string): boolean {
  return SEAL_REJECTED.test(text);
}

/**
 * Returns whether the text of an error states that the provider does not support a beta feature.
 * @example
 * isBetaFlagRejection('{"message":"invalid beta flag"}'); // true
 */
export function isBetaFlagRejection(text: string): boolean {
  return BETA_FLAG_REJECTED.test(text);
}

function detailText(detail: Json | undefined): string | undefined {
  if (typeof detail === 'string') return detail;
  return isJsonArray(detail) ? asString(asObject(detail[0])?.['msg']) : undefined;
}

/**
 * Returns the requested delay in milliseconds: the larger of `retry-after-ms` and `retry-after` in seconds,
 * or else a delay in the body. The caller parses an HTTP date, which needs a clock.
 */
function retryAfterMs(headers: LowerCaseHeaders, root: JsonObject): number | undefined {
  const ms = parsePositive(headers['retry-after-ms']);
  const seconds = parsePositive(headers['retry-after']);
  if (ms !== undefined || seconds !== undefined)
    return Math.min(MAX_RETRY_AFTER_MS, Math.max(ms ?? 0, (seconds ?? 0) * 1000));
  const details = asObject(root['error'])?.['details'];
  for (const entry of isJsonArray(details) ? details : []) {
    const delay = isJsonObject(entry) ? /^(\d+(?:\.\d+)?)s$/.exec(asString(entry['retryDelay']) ?? '') : null;
    if (delay) return Math.min(MAX_RETRY_AFTER_MS, Math.ceil(Number(delay[1]) * 1000));
  }
  return undefined;
}

function parsePositive(value: string | undefined): number | undefined {
  const number = value === undefined || value === '' ? Number.NaN : Number(value);
  return number > 0 ? number : undefined;
}

const FAULT_CODES: Readonly<Record<UpstreamFaultKind, FaultCode>> = {
  credential: 'upstream_auth_failed',
  permission: 'upstream_auth_failed',
  model: 'model_not_found',
  // Waiting does not help, so this is not a rate limit.
  quota: 'upstream_auth_failed',
  rate: 'upstream_rate_limited',
  overloaded: 'upstream_error',
  context: 'invalid_request',
  filter: 'invalid_request',
  too_large: 'request_too_large',
  slow_request: 'request_timeout',
  // `upstream_timeout` means that a deadline of Floe passed. A provider's own timeout is a failure of the
  // provider.
  timeout: 'upstream_error',
  invalid: 'invalid_request',
  server: 'upstream_error',
};

/**
 * Returns the status of an error about the request if the SDKs of all clients have an error class for it, as for 400:
 * `ConflictError` and `UnprocessableEntityError`.
 */
function findDialectStatus({ kind, status, reportedStatus = status }: UpstreamFault): 409 | 422 | undefined {
  if (kind !== 'invalid' && kind !== 'filter') return undefined;
  return reportedStatus === 409 || reportedStatus === 422 ? reportedStatus : undefined;
}

/**
 * Returns the fault for a client. The fault has no `param`, because the provider's `param` is a field
 * of the translated request; the caller must add the name of the client's field. The provider's
 * message about its account or a rejected credential is never returned to the client.
 * @example
 * toClientFault({ kind: 'rate', status: 429, message: 'slow down' }).code; // 'upstream_rate_limited'
 */
export function toClientFault(upstream: UpstreamFault): Fault {
  const { kind, status, reportedStatus, retryAfterMs, body } = upstream;
  const dialectStatus = findDialectStatus(upstream);
  return new Fault(FAULT_CODES[kind], describeToClient(upstream), {
    upstreamStatus: status,
    ...(reportedStatus === undefined ? {} : { reportedStatus }),
    ...(dialectStatus === undefined ? {} : { dialectStatus }),
    ...(kind === 'quota' ? { spent: true } : {}),
    ...(kind === 'context' ? { dialectCode: 'context_length_exceeded' } : {}),
    ...(retryAfterMs === undefined || kind === 'quota' ? {} : { retryAfterMs }),
    ...(body === undefined ? {} : { upstreamBody: body }),
  });
}

function describeToClient({ kind, message }: UpstreamFault): string {
  if (kind === 'quota') return describeAccountError('quota');
  return kind === 'credential' || kind === 'permission' ? describeAccountError('credential') : message;
}

/**
 * Returns the message for a rejected credential, or for an account without quota or credit. Contains nothing
 * that the provider sent.
 * @param provider id of the provider, if it is known
 * @example
 * describeAccountError('credential', 'openai').startsWith('openai rejected the credential'); // true
 */
export function describeAccountError(kind: 'credential' | 'quota', provider?: string): string {
  return kind === 'quota'
    ? `The ${provider ?? 'provider'} account of the credential that Floe sent has no quota or credit left. Add credit to the account, or use another credential.`
    : `${provider ?? 'The provider'} rejected the credential that Floe sent. Replace the credential, or change its permissions at the provider.`;
}

/**
 * Returns the fault for an error that a provider sent with status 200, as a stream event or a body.
 * @example
 * createErrorEventFault('{"error":{"message":"slow down","code":429}}').code; // 'upstream_rate_limited'
 */
export function createErrorEventFault(text: string): Fault {
  return toClientFault(parseUpstreamFault(200, {}, text));
}

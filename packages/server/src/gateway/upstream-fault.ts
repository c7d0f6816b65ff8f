import { Fault } from '@floe/contract/faults';
import { isObject } from '@floe/contract/json';
import type { ProviderSheet } from '../providers/provider.ts';
import type { UpstreamHeaders } from '../providers/transport.ts';

const MESSAGE_CHARACTERS = 500;
const KEPT_BODY_CHARACTERS = 2000;

/** An upstream 4xx that belongs to the client, to be passed on with its status and bytes unchanged. */
export class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal';
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;

  constructor(status: number, contentType: string, body: Buffer) {
    super(`the upstream refused the request with ${status}`);
    this.status = status;
    this.contentType = contentType;
    this.body = body;
  }
}

/** Reads an upstream's error answer: whose fault it is and what the client gets to see. */
export function readRefusal(
  provider: string,
  sheet: ProviderSheet,
  status: number,
  headers: UpstreamHeaders,
  body: Buffer,
): Fault | UpstreamRefusal {
  const text = body.toString('utf8');
  const detail = { upstreamStatus: status, upstreamBody: text.slice(0, KEPT_BODY_CHARACTERS) };
  const says = `${provider} answered ${status}: ${messageOf(text) || 'no message'}`;
  const lower = text.toLowerCase();
  const rule = sheet.errors?.find(
    (candidate) => candidate.status === status && lower.includes(candidate.text),
  );
  const means = rule?.means ?? meaningOf(status);
  if (means === 'bad_credentials')
    return new Fault(
      'upstream_auth_failed',
      `${provider} did not accept the credential configured for it.`,
      detail,
    );
  const retryAfterMs = readRetryAfterMs(headers);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (means === 'rate') return new Fault('upstream_rate_limited', says, { ...detail, ...wait });
  if (means === 'overloaded') return new Fault('upstream_error', says, { ...detail, ...wait });
  if (status >= 300 && status < 400)
    return new Fault(
      'upstream_error',
      `${provider} answered with a redirect (${status}), which is never followed.`,
      detail,
    );
  return new UpstreamRefusal(status, headerOf(headers, 'content-type') ?? 'application/json', body);
}

function meaningOf(status: number): 'bad_credentials' | 'rate' | 'overloaded' | 'other' {
  if (status === 401 || status === 403) return 'bad_credentials';
  if (status === 429) return 'rate';
  return status >= 500 ? 'overloaded' : 'other';
}

/**
 * How long the upstream asks to wait, in milliseconds. `retry-after` is seconds or an HTTP date (RFC 9110
 * section 10.2.3); where `retry-after-ms` stands beside it (one host sends 0 there), the larger wins.
 */
export function readRetryAfterMs(headers: UpstreamHeaders, nowMs: number = Date.now()): number | undefined {
  const waits: number[] = [];
  const ms = Number(headerOf(headers, 'retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) waits.push(ms);
  const after = headerOf(headers, 'retry-after');
  if (after !== undefined) {
    const seconds = Number(after);
    const date = Date.parse(after);
    if (Number.isFinite(seconds) && seconds >= 0) waits.push(seconds * 1000);
    else if (Number.isFinite(date)) waits.push(Math.max(0, date - nowMs));
  }
  return waits.length === 0 ? undefined : Math.max(...waits);
}

export function headerOf(headers: UpstreamHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The message of an error body, whichever of the known shapes it has (providers page, 28.8). */
function messageOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return /^\s*</.test(text) ? 'an HTML page' : text.trim().slice(0, MESSAGE_CHARACTERS);
  }
  const root: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(root)) return '';
  const error = root.error;
  const candidates = [
    isObject(error) ? error.message : error,
    root.message,
    root.Message,
    root.detail,
    root.title,
  ];
  const found = candidates.find((candidate) => typeof candidate === 'string' && candidate !== '');
  return typeof found === 'string' ? found.slice(0, MESSAGE_CHARACTERS) : '';
}

/** What a failed connection means, from the codes of Node and undici. */
export function readNetworkError(provider: string, error: Error, headSeen: boolean): Fault {
  const code = codeOf(error);
  const cause = error;
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new Fault('upstream_timeout', `${provider} did not accept a connection in time.`, {
      phase: 'connect',
      cause,
    });
  // undici's parser names itself and not always a code.
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new Fault('upstream_error', `${provider} did not answer in valid HTTP (${code}).`, { cause });
  if (headSeen)
    return new Fault(
      'upstream_stream_broken',
      `${provider} broke off in the middle of its answer (${code}).`,
      { cause },
    );
  return new Fault('upstream_unreachable', `${provider} could not be reached (${code}).`, { cause });
}

function codeOf(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error.cause instanceof Error ? codeOf(error.cause) : 'connection failed';
}

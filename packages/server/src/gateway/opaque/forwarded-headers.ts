import type { UpstreamHeaders } from '../../providers/transport.ts';
import type { ClientCall } from '../client-call.ts';

/** Hop-by-hop headers (RFC 9110, section 7.6.1). The server handles `expect`. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Headers about the connection to Floe, that identify the caller, or that replace the method that Floe checked.
 * Credentials are replaced with those of the provider.
 */
const NOT_SENT_UPSTREAM = new Set([
  'host',
  'content-length',
  'accept-encoding',
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'forwarded',
  'via',
  'x-real-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]);

/**
 * Returns, as a flat list, the client headers to forward to a provider with the same API. Omits
 * connection headers, credentials, `x-floe-*`, headers that identify the caller or replace the method, and any header
 * that contains the platform key. The headers that Floe sets (`own`) take precedence over the client's
 * headers, except for content type and user agent.
 * @param omitted further headers that are not forwarded
 */
export function buildForwardedRequestHeaders(
  client: ClientCall,
  platformKey: string,
  own: readonly string[],
  omitted: readonly string[] = [],
): string[] {
  const named = parseConnectionHeader(String(client.headers.connection ?? ''));
  const headers: string[] = [];
  const sent = new Set<string>();
  const mine = providerHeaders(own);
  for (let i = 0; i < client.rawHeaders.length; i += 2) {
    const name = (client.rawHeaders[i] ?? '').toLowerCase();
    const value = client.rawHeaders[i + 1] ?? '';
    if (HOP_BY_HOP.has(name) || NOT_SENT_UPSTREAM.has(name) || named.has(name) || mine.has(name)) continue;
    if (omitted.includes(name)) continue;
    if (/^x-(?:floe|forwarded)-/.test(name) || value.includes(platformKey)) continue;
    headers.push(name, value);
    sent.add(name);
  }
  for (const [name, value] of mine) headers.push(name, value);
  // An encoded response could not be read and counted.
  headers.push('accept-encoding', 'identity');
  return headers;
}

/** Returns the credential and the configured headers, without the headers of Floe's own JSON requests. */
function providerHeaders(own: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i < own.length; i += 2) headers.set(own[i] ?? '', own[i + 1] ?? '');
  for (const name of ['content-type', 'accept-encoding', 'user-agent']) headers.delete(name);
  return headers;
}

/** Headers about the provider's host, such as cookies and transport policy. Floe has its own request id. */
const NOT_SENT_TO_CLIENT = new Set([
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  'nel',
  'report-to',
  'location',
  'content-location',
  'link',
  'refresh',
  'clear-site-data',
  'www-authenticate',
  'x-request-id',
  'date',
]);

/**
 * Returns, as a flat list, the provider's response headers to send to the client. The provider's
 * request id becomes `x-floe-upstream-request-id`.
 */
export function buildForwardedResponseHeaders(headers: UpstreamHeaders): string[] {
  const flat: string[] = [];
  const named = parseConnectionHeader(String(headers['connection'] ?? ''));
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value === undefined || HOP_BY_HOP.has(lower) || named.has(lower) || lower.startsWith('x-floe-'))
      continue;
    if (lower === 'x-request-id') flat.push('x-floe-upstream-request-id', String(value));
    if (NOT_SENT_TO_CLIENT.has(lower)) continue;
    for (const one of Array.isArray(value) ? value : [value]) flat.push(lower, one);
  }
  return flat;
}

/** Returns a flat header list without the headers that have the given names. */
export function omitHeaders(flat: readonly string[], ...names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < flat.length; i += 2)
    if (!names.includes(flat[i] ?? '')) kept.push(flat[i] ?? '', flat[i + 1] ?? '');
  return kept;
}

function parseConnectionHeader(value: string): ReadonlySet<string> {
  return new Set(value.toLowerCase().split(/[\s,]+/));
}

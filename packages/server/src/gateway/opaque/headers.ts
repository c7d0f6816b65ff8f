import type { UpstreamHeaders } from '../../providers/transport.ts';
import type { ClientConnection } from '../client.ts';

/** Of one connection, not of the message (RFC 9110 section 7.6.1); `expect` is answered by the server itself. */
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

/** What concerns the caller's way to us, or names the caller. Credentials are replaced by the provider's own. */
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
]);

/**
 * The client's headers an upstream of the same style gets to see, flat, as they were sent: all but those of the
 * connection, credentials, our own `x-floe-*`, and what says who and where the caller is. Whatever else holds the
 * platform key stays here too. `own` wins over the client's headers of its names, but for the kind of the body and
 * the agent, which are the client's to say.
 */
export function forwardedRequestHeaders(
  client: ClientConnection,
  platformKey: string,
  own: readonly string[],
): string[] {
  const named = parseConnectionHeader(String(client.headers.connection ?? ''));
  const headers: string[] = [];
  const sent = new Set<string>();
  const mine = providerHeaders(own);
  for (let i = 0; i < client.rawHeaders.length; i += 2) {
    const name = (client.rawHeaders[i] ?? '').toLowerCase();
    const value = client.rawHeaders[i + 1] ?? '';
    if (HOP_BY_HOP.has(name) || NOT_SENT_UPSTREAM.has(name) || named.has(name) || mine.has(name)) continue;
    if (/^x-(?:floe|forwarded)-/.test(name) || value.includes(platformKey)) continue;
    headers.push(name, value);
    sent.add(name);
  }
  for (const [name, value] of mine) headers.push(name, value);
  // Bytes in a coding would pass unread and uncounted.
  headers.push('accept-encoding', 'identity');
  return headers;
}

/** The credential and the operator's own headers, without what the gateway says of its own JSON requests. */
function providerHeaders(own: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i < own.length; i += 2) headers.set(own[i] ?? '', own[i + 1] ?? '');
  for (const name of ['content-type', 'accept-encoding', 'user-agent']) headers.delete(name);
  return headers;
}

/** Of an upstream's answer: cookies, links and transport policy are about its own host, and the request id is ours. */
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

/** An upstream's headers for the client, flat. Its own request id goes by `x-floe-upstream-request-id`. */
export function forwardedAnswerHeaders(headers: UpstreamHeaders): string[] {
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

/** Flat headers without those of some names. */
export function omitHeaders(flat: readonly string[], ...names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < flat.length; i += 2)
    if (!names.includes(flat[i] ?? '')) kept.push(flat[i] ?? '', flat[i + 1] ?? '');
  return kept;
}

function parseConnectionHeader(value: string): ReadonlySet<string> {
  return new Set(value.toLowerCase().split(/[\s,]+/));
}

import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import { truncateDroppedFields } from './dropped-fields.ts';
import type { StartedExchange } from './exchange-record.ts';

/**
 * Returns the headers with the request id, as a flat list. The SDKs for the Messages API read the id only from
 * `request-id`.
 */
export function buildRequestIdHeaders(id: string, format: ErrorBodyFormat): string[] {
  return format === 'anthropic' ? ['x-request-id', id, 'request-id', id] : ['x-request-id', id];
}

/** Returns the headers that every gateway response has, as a flat list. */
export function buildResponseHeaders(x: StartedExchange, contentType: string): string[] {
  const headers = [
    'content-type',
    contentType,
    ...buildRequestIdHeaders(x.id, x.surface.faultShape),
    'x-floe-attempts',
    String(x.attempts.length),
  ];
  if (x.target) {
    headers.push('x-floe-provider', x.target.provider.id);
    if (x.target.model !== '') headers.push('x-floe-model', encodeHeaderValue(x.target.model));
  }
  if (x.cache !== null) headers.push('x-floe-cache', x.cache);
  if (x.admission) headers.push(...x.admission.headers);
  if (x.policy.rewrittenBy) headers.push('x-floe-redacted', x.policy.rewrittenBy.join(','));
  if (x.answer.dropped.length > 0)
    headers.push('x-floe-dropped', x.answer.dropped.map(encodeHeaderValue).join(','));
  if (x.caller?.key.deprecationHeaders) headers.push(...x.caller.key.deprecationHeaders);
  return headers;
}

/**
 * Adds the headers of a forwarded response to those of Floe, as a flat list. Floe's headers take precedence, except for
 * the provider's `request-id`.
 */
export function mergeForwardedHeaders(own: readonly string[], forwarded: readonly string[]): string[] {
  const namesOf = (flat: readonly string[]) => new Set(flat.filter((_, at) => at % 2 === 0));
  const hasRequestId = namesOf(forwarded).has('request-id');
  const ownNames = namesOf(own);
  const merged: string[] = [];
  for (let i = 0; i < own.length; i += 2)
    if (!(hasRequestId && own[i] === 'request-id')) merged.push(own[i] ?? '', own[i + 1] ?? '');
  for (let i = 0; i < forwarded.length; i += 2)
    if (forwarded[i] === 'request-id' || !ownNames.has(forwarded[i] ?? ''))
      merged.push(forwarded[i] ?? '', forwarded[i + 1] ?? '');
  return merged;
}

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
// Without x-accel-buffering, proxies such as nginx buffer the events.
const UNBUFFERED = ['cache-control', 'no-cache', 'x-accel-buffering', 'no'] as const;

/** Returns the headers for a streamed response as a flat list. */
export function buildStreamHeaders(x: StartedExchange): string[] {
  return [...buildResponseHeaders(x, EVENT_STREAM), ...UNBUFFERED];
}

/**
 * Returns the headers for a stream that starts before its target is known, as a flat list. They
 * contain no provider, model or number of attempts.
 */
export function buildEarlyStreamHeaders(x: StartedExchange): string[] {
  const headers = [
    'content-type',
    EVENT_STREAM,
    ...buildRequestIdHeaders(x.id, x.surface.faultShape),
    ...UNBUFFERED,
  ];
  if (x.cache !== null) headers.push('x-floe-cache', x.cache);
  if (x.admission) headers.push(...x.admission.headers);
  // Fields that were dropped while reading the request are dropped for every target.
  const dropped = truncateDroppedFields(x.request.prompt?.canonical?.dropped ?? []);
  if (dropped.length > 0) headers.push('x-floe-dropped', dropped.map(encodeHeaderValue).join(','));
  if (x.caller?.key.deprecationHeaders) headers.push(...x.caller.key.deprecationHeaders);
  return headers;
}

/**
 * Header values may contain only visible ASCII (RFC 9110, section 5.5). Other characters are percent-encoded.
 * Never throws, because error responses have these headers, too.
 */
function encodeHeaderValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

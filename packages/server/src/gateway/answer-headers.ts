import type { StartedExchange } from './exchange-record.ts';

/** Headers of every answer of the gateway, flat (product page, "Response headers"). */
export function buildAnswerHeaders(x: StartedExchange, contentType: string): string[] {
  const headers = [
    'content-type',
    contentType,
    'x-request-id',
    x.id,
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

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
// x-accel-buffering: proxies of the nginx family would otherwise hold events back.
const UNBUFFERED = ['cache-control', 'no-cache', 'x-accel-buffering', 'no'] as const;

export function buildStreamHeaders(x: StartedExchange): string[] {
  return [...buildAnswerHeaders(x, EVENT_STREAM), ...UNBUFFERED];
}

/** Of a stream that is answered before it is known who will: no provider, model or number of attempts. */
export function buildKeepAliveHeaders(x: StartedExchange): string[] {
  const headers = ['content-type', EVENT_STREAM, 'x-request-id', x.id, ...UNBUFFERED];
  if (x.cache !== null) headers.push('x-floe-cache', x.cache);
  if (x.admission) headers.push(...x.admission.headers);
  // What reading the request left out is left out whoever answers.
  const dropped = x.request.prompt?.canonical?.dropped ?? [];
  if (dropped.length > 0) headers.push('x-floe-dropped', dropped.map(encodeHeaderValue).join(','));
  if (x.caller?.key.deprecationHeaders) headers.push(...x.caller.key.deprecationHeaders);
  return headers;
}

/** A header value may hold visible ASCII only (RFC 9110 section 5.5); anything else is percent-encoded. */
function encodeHeaderValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}

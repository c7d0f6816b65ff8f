import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { createErrorEventFault } from '@floe/wire/upstream-fault';
import { chatProviderDefaults, type ProviderDefinition } from '../providers/provider-definition.ts';
import { PROVIDER_DEFINITIONS } from '../providers/provider-definitions.ts';
import {
  ConnectionClosedEarlyError,
  MalformedResponseError,
  UnsendableRequestError,
} from '../providers/transport.ts';
import {
  ForwardedUpstreamError,
  parseRetryAfterMs,
  parseUpstreamError,
  toNetworkFault,
} from './upstream-error.ts';

const plain: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'plain',
  name: 'Plain',
  keyVariables: [],
  docs: '',
  checked: '',
};

function read(status: number, body: unknown, headers: Record<string, string> = {}, definition = plain) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return parseUpstreamError({ id: 'up', definition }, { status, headers, body: Buffer.from(text) });
}

function codeOf(result: Fault | ForwardedUpstreamError): string {
  return result instanceof Fault ? result.code : 'refusal';
}

test('a 4xx that the client caused is forwarded with its status, type and bytes', () => {
  const body = '{"error":{"message":"max_tokens is too large","code":"x"},"odd":1e400}';
  const result = read(422, body, { 'content-type': 'application/problem+json' });
  assert.ok(result instanceof ForwardedUpstreamError);
  assert.deepEqual(
    [result.status, result.contentType, result.body.toString()],
    [422, 'application/problem+json', body],
  );
});

test("401 and 403 report the configured credential and never show the provider's text", () => {
  for (const status of [401, 403]) {
    const result = read(status, { error: { message: 'Incorrect API key provided: sk-proj-1234' } });
    assert.ok(result instanceof Fault);
    assert.equal(result.code, 'upstream_auth_failed');
    assert.ok(!result.message.includes('sk-proj'));
    assert.equal(result.detail.upstreamStatus, status);
  }
});

test('a 403 that the request caused according to the definition is forwarded to the client', () => {
  const definition = PROVIDER_DEFINITIONS.find((candidate) =>
    candidate.errors?.some((rule) => rule.text === 'context length'),
  );
  assert.ok(definition);
  const body = { error: { message: 'The prompt is longer than the model’s context length.' } };
  assert.equal(codeOf(read(403, body, {}, definition)), 'refusal');
  assert.equal(
    codeOf(read(403, { error: { message: 'no access' } }, {}, definition)),
    'upstream_auth_failed',
  );
});

test('providers that report a bad credential with 400 are recognized by their definition', () => {
  const definition = PROVIDER_DEFINITIONS.find((candidate) =>
    candidate.errors?.some((rule) => rule.text === 'incorrect api key'),
  );
  assert.ok(definition);
  const body = { code: 'invalid-argument', error: 'Incorrect API key provided: xy***.' };
  assert.equal(codeOf(read(400, body, {}, definition)), 'upstream_auth_failed');
  assert.equal(
    codeOf(read(400, { code: 'invalid-argument', error: 'bad temperature' }, {}, definition)),
    'refusal',
  );
});

test('an exhausted account is a credential error and not a rate limit', () => {
  const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' };
  const result = read(429, { error }, { 'retry-after': '7' });
  assert.ok(result instanceof Fault);
  assert.deepEqual(
    [result.code, result.detail.spent, result.detail.retryAfterMs],
    ['upstream_auth_failed', true, undefined],
  );
});

test('an account without credit is never reported as 402, which is the status of a budget of Floe', () => {
  for (const [status, error] of [
    [402, { message: 'Insufficient credits' }],
    [400, { message: 'Your credit balance is too low to access the API.' }],
    [403, { message: 'billing_error' }],
  ] as const) {
    const result = read(status, { error });
    assert.ok(result instanceof Fault);
    assert.deepEqual(
      [result.code, result.status, result.detail.spent, result.detail.upstreamStatus],
      ['upstream_auth_failed', 502, true, status],
    );
  }
});

test('an error of the account has the same message with and without the name of the provider', () => {
  for (const [status, named, unnamed] of [
    [401, 'up rejected the credential', 'The provider rejected the credential'],
    [402, 'The up account of the credential', 'The provider account of the credential'],
  ] as const) {
    const error = { code: status, message: 'account acme-1' };
    const result = read(status, { error });
    assert.ok(result instanceof Fault);
    const { message } = createErrorEventFault(JSON.stringify({ error }));
    assert.ok(result.message.startsWith(named) && message.startsWith(unnamed), message);
    assert.equal(result.message.slice(named.length), message.slice(unnamed.length));
  }
});

test('429 keeps the retry time of the provider', () => {
  const result = read(429, { error: { message: 'slow down' } }, { 'retry-after': '7' });
  assert.ok(result instanceof Fault);
  assert.deepEqual([result.code, result.detail.retryAfterMs], ['upstream_rate_limited', 7000]);
});

test('5xx and redirects are upstream errors', () => {
  for (const status of [301, 302, 307, 308, 500, 502, 503, 504, 529])
    assert.equal(codeOf(read(status, 'x', { location: 'http://elsewhere' })), 'upstream_error');
});

test('the message is found in every format that providers use', () => {
  const shapes: unknown[] = [
    { error: { message: 'needle', type: 't', code: null } },
    { object: 'error', message: 'needle' },
    { error: 'needle' },
    { code: 'c', error: 'needle' },
    { detail: 'needle' },
    [{ error: { code: 503, message: 'needle' } }],
    'needle',
  ];
  for (const shape of shapes) {
    const result = read(500, shape);
    assert.ok(result instanceof Fault && result.message.endsWith('needle'), JSON.stringify(shape));
  }
  const html = read(502, '<html><body>Bad gateway</body></html>');
  assert.ok(html instanceof Fault && html.message.endsWith('is an HTML page.'));
});

test('retry-after is seconds or a date, and the larger of it and retry-after-ms applies', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  assert.equal(parseRetryAfterMs({ 'retry-after': '2' }, now), 2000);
  assert.equal(parseRetryAfterMs({ 'retry-after': '1', 'retry-after-ms': '0' }, now), 1000);
  assert.equal(parseRetryAfterMs({ 'retry-after': '1', 'retry-after-ms': '1500' }, now), 1500);
  assert.equal(parseRetryAfterMs({ 'retry-after': 'Sat, 21 Nov 2026 00:00:30 GMT' }, now), 30_000);
  assert.equal(parseRetryAfterMs({ 'retry-after': 'Fri, 20 Nov 2026 00:00:30 GMT' }, now), 0);
  assert.equal(parseRetryAfterMs({ 'retry-after': 'soon' }, now), undefined);
  assert.equal(parseRetryAfterMs({}, now), undefined);
});

test('a broken connection is unreachable before the response, and a broken stream during it', () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const exhausted = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' });
  assert.equal(toNetworkFault('up', exhausted, false).code, 'overloaded');
  assert.equal(toNetworkFault('up', reset, false).code, 'upstream_unreachable');
  assert.equal(toNetworkFault('up', reset, true).code, 'upstream_stream_broken');
  const slow = Object.assign(new Error('slow'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
  assert.deepEqual(toNetworkFault('up', slow, false).detail.phase, 'connect');
  assert.match(
    toNetworkFault('up', new ConnectionClosedEarlyError(), false).message,
    /closed the connection without/,
  );
  const newline = new UnsendableRequestError(
    'the header authorization contains a character that is not allowed in an HTTP header',
  );
  assert.match(
    toNetworkFault('up', newline, false).message,
    /was not sent: the header authorization contains/,
  );
  const garbage = new MalformedResponseError('status_line');
  assert.equal(toNetworkFault('up', garbage, false).code, 'upstream_error');
});

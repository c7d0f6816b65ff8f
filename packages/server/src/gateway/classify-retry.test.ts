import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode, type FaultDetail } from '@floe/contract/faults';
import fc from 'fast-check';
import {
  classifyRetry,
  computeBackoffDelayMs,
  selectReportedFailure,
  UnsentRequestFault,
} from './classify-retry.ts';
import { ClientDisconnectedError } from './client-call.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

function fault(code: FaultCode, detail: FaultDetail = {}): Fault {
  return new Fault(code, code, detail);
}

function refusal(status: number): ForwardedUpstreamError {
  return new ForwardedUpstreamError(status, 'application/json', Buffer.from('{}'));
}

test('temporary failures are retried on the same target', () => {
  for (const code of [
    'upstream_unreachable',
    'upstream_error',
    'upstream_stream_broken',
    'upstream_rate_limited',
  ] as const)
    assert.equal(classifyRetry(fault(code)), 'same_target', code);
});

test('silent targets, rejected credentials and exhausted quotas lead to the next target immediately', () => {
  for (const phase of ['connect', 'headers', 'first_token', 'idle'])
    assert.equal(classifyRetry(fault('upstream_timeout', { phase })), 'next_target', phase);
  assert.equal(classifyRetry(fault('upstream_auth_failed')), 'next_target');
  assert.equal(classifyRetry(fault('upstream_auth_failed', { spent: true })), 'next_target');
});

test('a response that cannot be translated is requested from the next target', () => {
  assert.equal(classifyRetry(fault('unsupported_response')), 'next_target');
});

test('the total deadline, client errors, defects and a disconnected client end the exchange', () => {
  assert.equal(classifyRetry(fault('upstream_timeout', { phase: 'total' })), 'none');
  for (const status of [400, 405, 409, 413, 415, 422])
    assert.equal(classifyRetry(refusal(status)), 'none', String(status));
  for (const error of [
    new Error('bug'),
    new ClientDisconnectedError('gone'),
    'text',
    fault('rate_limit_exceeded'),
    fault('invalid_request'),
  ])
    assert.equal(classifyRetry(error), 'none');
});

test('a rejection that other providers may not share leads to the next target', () => {
  for (const status of [402, 404, 408, 412, 425])
    assert.equal(classifyRetry(refusal(status)), 'next_target', String(status));
});

test('delays have full jitter below a doubling maximum, and are at least the requested time', () => {
  assert.equal(
    computeBackoffDelayMs(fault('upstream_error'), 0, () => 0),
    0,
  );
  assert.equal(
    computeBackoffDelayMs(fault('upstream_error'), 0, () => 0.5),
    125,
  );
  assert.equal(
    computeBackoffDelayMs(fault('upstream_error'), 3, () => 0.5),
    1000,
  );
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.nat(10_000),
      (tries, random, asked) => {
        const wait = computeBackoffDelayMs(
          fault('upstream_rate_limited', { retryAfterMs: asked }),
          tries,
          () => random,
        );
        assert.ok(wait !== null && wait >= asked && wait <= Math.max(asked, 8_000));
      },
    ),
  );
});

test('a delay above the maximum is left to the client', () => {
  assert.equal(
    computeBackoffDelayMs(fault('upstream_rate_limited', { retryAfterMs: 10_001 }), 0, () => 0),
    null,
  );
});

test('a rate limit is returned only if every target is rate limited', () => {
  const limited = fault('upstream_rate_limited');
  const broken = fault('upstream_error');
  assert.equal(selectReportedFailure([limited, broken, limited]), broken);
  assert.equal(selectReportedFailure([limited, limited]), limited);
  assert.equal(selectReportedFailure([]), undefined);
});

test('an unsupported request is reported only if no target was called', () => {
  const ineligible = new UnsentRequestFault(fault('unsupported_parameter'));
  const limited = fault('upstream_rate_limited');
  const broken = fault('upstream_error');
  assert.equal(selectReportedFailure([broken, ineligible]), broken);
  assert.equal(selectReportedFailure([limited, ineligible]), limited);
  assert.equal(selectReportedFailure([ineligible, ineligible]), ineligible);
});

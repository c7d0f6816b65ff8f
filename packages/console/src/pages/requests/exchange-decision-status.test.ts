import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getExchangeDecisionStatus } from './exchange-decision-status.ts';

const show = (step: string, outcome: string) => getExchangeDecisionStatus({ step, outcome }, null);

test('the names of targets do not affect the status of the step route', () => {
  for (const names of ['openai/gpt-5, sandbox/echo', 'broken/large', 'sandbox/none', 'refused/off'])
    assert.equal(show('route', names), 'healthy');
  assert.equal(show('route', 'skipped'), 'warning');
});

test('a step that rejects the request is blocked', () => {
  assert.equal(show('limit', 'rejected'), 'blocked');
  assert.equal(show('authenticate', 'rejected'), 'blocked');
  assert.equal(show('policy', 'denied'), 'blocked');
  assert.equal(show('limit', 'granted'), 'healthy');
});

test('a policy that only monitors does not block the request', () => {
  assert.equal(show('policy', 'would_deny'), 'warning');
  assert.equal(show('policy', 'would_allow'), 'healthy');
});

test('a skipped target and a failed attempt are warnings', () => {
  assert.equal(show('breaker', 'skipped'), 'warning');
  assert.equal(show('send', 'moved_on'), 'warning');
  assert.equal(show('send', 'no_replay'), 'healthy');
});

test('the step with the error of the request has the status of the request', () => {
  const blocked = { code: 'model_not_found', state: 'blocked' } as const;
  assert.equal(getExchangeDecisionStatus({ step: 'route', outcome: 'model_not_found' }, blocked), 'blocked');
  assert.equal(getExchangeDecisionStatus({ step: 'limit', outcome: 'granted' }, blocked), 'healthy');
  const failed = { code: 'upstream_error', state: 'failing' } as const;
  assert.equal(getExchangeDecisionStatus({ step: 'answer', outcome: 'upstream_error' }, failed), 'failing');
});

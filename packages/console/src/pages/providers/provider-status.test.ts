import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeCredentialTest,
  getProviderStatusDisplay,
  summarizeCredentialTests,
} from './provider-status.ts';

const tested = (ok: boolean) => ({
  name: 'a',
  weight: 1,
  last4: null,
  origin: null,
  tested_at: null,
  source: { kind: 'console' as const, file: null, line: null },
  created_at: null,
  updated_at: null,
  updated_by: null,
  test: { ok, method: 'models' as const, status: 200, models: 1, message: 'No such key.', duration_ms: 12 },
});

test('a provider is not healthy while it is disabled, unusable or one of its keys was rejected', () => {
  const state = (enabled: boolean, problem: string | null, ...keys: boolean[]) =>
    getProviderStatusDisplay(
      { enabled, problem, credentials: keys.map(tested) },
      { openBreakers: 0, traffic: { requests: 0, errors: 0 } },
    ).state;
  assert.equal(state(true, null, true), 'healthy');
  assert.equal(state(true, null), 'healthy');
  assert.equal(state(true, null, true, false), 'warning');
  assert.equal(state(true, 'no base_url', true), 'failing');
  assert.equal(state(false, 'no base_url', false), 'paused');
});

test('a provider is not healthy while a breaker is open or 10% of its requests fail', () => {
  const status = (openBreakers: number, requests: number, errors: number) =>
    getProviderStatusDisplay(
      { enabled: true, problem: null, credentials: [tested(true)] },
      { openBreakers, traffic: { requests, errors } },
    );
  assert.equal(status(0, 100, 3).state, 'healthy');
  assert.equal(status(0, 9, 5).state, 'healthy', 'nine requests are too few for an error rate');
  assert.deepEqual(status(2, 100, 0), { state: 'failing', word: 'Failing, 2 open breakers' });
  assert.deepEqual(status(0, 100, 37), { state: 'warning', word: 'Degraded, 37.0% errors' });
});

test('a provider whose breakers or traffic are not loaded is not healthy', () => {
  const provider = { enabled: true, problem: null, credentials: [tested(true)] };
  const traffic = { requests: 100, errors: 3 };
  const status = { state: 'unknown', word: 'Unknown' };
  assert.deepEqual(getProviderStatusDisplay(provider, { openBreakers: null, traffic }), status);
  assert.deepEqual(getProviderStatusDisplay(provider, { openBreakers: 0, traffic: null }), status);
  assert.equal(getProviderStatusDisplay(provider, { openBreakers: 1, traffic: null }).state, 'failing');
  assert.equal(
    getProviderStatusDisplay(provider, { openBreakers: null, traffic: { requests: 100, errors: 37 } }).state,
    'warning',
  );
});

test('keys are counted by the result of their last test', () => {
  assert.equal(summarizeCredentialTests([]), 'None');
  assert.equal(
    summarizeCredentialTests([tested(true), tested(false), { ...tested(true), test: null }]),
    '1 valid, 1 rejected, 1 not tested',
  );
});

test('a test result has the models and the time, or the message of the provider', () => {
  assert.equal(describeCredentialTest(tested(true).test), 'Credential is valid (1 model, 12 ms)');
  assert.equal(describeCredentialTest({ ...tested(true).test, models: null }), 'Credential is valid (12 ms)');
  assert.equal(describeCredentialTest(tested(false).test), 'No such key.');
});

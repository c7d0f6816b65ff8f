import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWorstBreakers } from './find-worst-breaker.ts';

test('a target shows the worst of the breakers of its credentials, whatever their order', () => {
  const breaker = (credential: string, state: 'open' | 'half_open' | 'closed') => ({
    provider: 'main',
    model: 'large',
    credential,
    state,
    forced: null,
    wait_ms: 0,
  });
  const all = [breaker('a', 'open'), breaker('b', 'closed'), breaker('c', 'half_open')];
  for (const breakers of [all, all.toReversed()])
    assert.equal(findWorstBreakers(breakers).get('main/large')?.credential, 'a');
  assert.equal(findWorstBreakers([]).size, 0);
});

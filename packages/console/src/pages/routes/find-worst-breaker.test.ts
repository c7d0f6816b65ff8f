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

test('a breaker that is forced closed serves, so only a closed one is better', () => {
  const breaker = (credential: string, state: 'open' | 'half_open' | 'closed' | 'ramping') => ({
    provider: 'main',
    model: 'large',
    credential,
    state,
    forced: null,
    wait_ms: 0,
  });
  const forced = (credential: string, state: 'open' | 'closed') => ({
    ...breaker(credential, 'open'),
    forced: { state, until: '2026-11-21T12:00:00.000Z', reason: '', by: 'a' },
  });
  const worstFirst = [
    breaker('open', 'open'),
    forced('forced open', 'open'),
    breaker('half open', 'half_open'),
    breaker('ramping', 'ramping'),
    forced('forced closed', 'closed'),
    breaker('closed', 'closed'),
  ];
  for (const [index, { credential }] of worstFirst.entries())
    assert.equal(
      findWorstBreakers(worstFirst.slice(index).toReversed()).get('main/large')?.credential,
      credential,
    );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSimilarRequestsSearch } from './similar-requests.ts';

const NOW = new Date('2026-11-29T12:00:00Z');

test('the list of similar requests contains the request, however old it is', () => {
  assert.deepEqual(buildSimilarRequestsSearch('key', 'ci', '2026-11-29T11:00:00Z', NOW), { key: 'ci' });
  assert.deepEqual(buildSimilarRequestsSearch('key', 'ci', '2026-11-20T11:00:00Z', NOW), {
    key: 'ci',
    from: '2026-11-19T23:00:00.000Z',
    to: '2026-11-20T23:00:00.000Z',
  });
});

test('the filter of similar requests matches the value as it is', () => {
  for (const [value, filter] of [
    ['a, b', '"a, b"'],
    ['!x', '=!x'],
  ] as const)
    assert.equal(buildSimilarRequestsSearch('session', value, NOW.toISOString(), NOW)['session'], filter);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeLimitImpact } from './limit-impact.ts';

test('requests above the bound are counted minute by minute', () => {
  assert.deepEqual(computeLimitImpact([0, 5, null, 12, 10], 10), { minutesOver: 1, rejected: 2, most: 12 });
  assert.deepEqual(computeLimitImpact([3, 3], 1), { minutesOver: 2, rejected: 4, most: 3 });
  assert.deepEqual(computeLimitImpact([], 1), { minutesOver: 0, rejected: 0, most: 0 });
});

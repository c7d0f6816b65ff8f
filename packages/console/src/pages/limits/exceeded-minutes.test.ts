import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countExceededMinutes } from './exceeded-minutes.ts';

test('requests above the bound are counted minute by minute', () => {
  assert.deepEqual(countExceededMinutes([0, 5, null, 12, 10], 10), { over: 1, refused: 2, most: 12 });
  assert.deepEqual(countExceededMinutes([3, 3], 1), { over: 2, refused: 4, most: 3 });
  assert.deepEqual(countExceededMinutes([], 1), { over: 0, refused: 0, most: 0 });
});

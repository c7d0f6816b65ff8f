import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundUpToTick, stackSeries } from './chart-stack.ts';

test('parts are added up upwards, and a moment that no part knows stays a gap', () => {
  assert.deepEqual(
    stackSeries([
      [1, null, null],
      [2, 3, null],
    ]),
    [
      [1, null, null],
      [3, 3, null],
    ],
  );
});

test('the top of an axis is a round number at or above the most', () => {
  assert.deepEqual([0, 1, 3, 42, 420, 501].map(roundUpToTick), [1, 1, 5, 50, 500, 1000]);
});

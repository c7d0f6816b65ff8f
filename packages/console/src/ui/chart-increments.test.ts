import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAxisIncrementOptions } from './chart-increments.ts';

test('the axis of a chart of counts has no labels between integers', () => {
  const { incrs = [] } = getAxisIncrementOptions([
    [0, null, 1],
    [3, 0, 0],
  ]);
  assert.equal(incrs[0], 1);
  assert.equal(incrs.every(Number.isInteger), true);
});

test('the axis of a chart of durations can have labels between integers', () => {
  assert.deepEqual(getAxisIncrementOptions([[0.4, null]]), {});
});

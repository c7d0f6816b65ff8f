import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from './tooltip-place.ts';

const VIEW = { width: 1000, height: 600 };
const WORDS = { width: 100, height: 20 };

test('words stand on the side asked for, in the middle', () => {
  const about = { left: 500, top: 300, width: 40, height: 30 };
  assert.deepEqual(placeOf(about, WORDS, 'bottom', VIEW), { left: 470, top: 336 });
  assert.deepEqual(placeOf(about, WORDS, 'top', VIEW), { left: 470, top: 274 });
  assert.deepEqual(placeOf(about, WORDS, 'right', VIEW), { left: 546, top: 305 });
  assert.deepEqual(placeOf(about, WORDS, 'left', VIEW), { left: 394, top: 305 });
});

test('where there is no room they stand on the other side, and never beyond the edge', () => {
  const low = { left: 980, top: 575, width: 20, height: 20 };
  assert.deepEqual(placeOf(low, WORDS, 'bottom', VIEW), { left: 892, top: 549 });
  const high = { left: 0, top: 2, width: 20, height: 20 };
  assert.deepEqual(placeOf(high, WORDS, 'top', VIEW), { left: 8, top: 28 });
});

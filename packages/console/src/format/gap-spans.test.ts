import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceZerosInGapsWithNull, toGapSpans } from './gap-spans.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21);
const at = Array.from({ length: 10 }, (_, index) => START + index * HOUR);
const gap = (from: number, to: number) => ({
  started_at: new Date(START + from * HOUR).toISOString(),
  ended_at: new Date(START + to * HOUR).toISOString(),
});

test('a gap stands where it was, cut to the drawing, and one outside of it is not drawn', () => {
  const [inside, over, ...others] = toGapSpans([gap(2, 4), gap(9, 30), gap(-9, -1), gap(12, 13)], at);
  assert.deepEqual([inside?.left, inside?.width], [0.2, 0.2]);
  assert.deepEqual([over?.left, over?.ms], [0.9, HOUR]);
  assert.deepEqual(others, []);
});

test('where nothing could be counted there is no zero, and what was counted stays', () => {
  const away = toGapSpans([gap(2, 4.5)], at);
  const values = replaceZerosInGapsWithNull([1, 0, 0, 0, 0, 0, 7, 0, 0, 0], away);
  assert.deepEqual(values, [1, 0, null, null, 0, 0, 7, 0, 0, 0]);
  assert.deepEqual(replaceZerosInGapsWithNull([5, 5, 5, 5, 5, 5, 5, 5, 5, 5], away), Array(10).fill(5));
});

test('a drawing of nothing, or of one interval, has no gaps', () => {
  assert.deepEqual(toGapSpans([gap(0, 9)], []), []);
  assert.deepEqual(toGapSpans([gap(0, 9)], [START]), []);
});

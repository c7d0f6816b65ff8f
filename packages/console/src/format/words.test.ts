import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCountWithNoun, joinWithAnd, joinWithOr } from './words.ts';

test('lists of words end as people end them', () => {
  assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinWithAnd), [
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
  assert.deepEqual([['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinWithOr), ['a', 'a or b', 'a, b or c']);
});

test('one thing is said otherwise than none or many', () => {
  assert.equal(formatCountWithNoun(0, 'request'), '0 requests');
  assert.equal(formatCountWithNoun(1, 'request'), '1 request');
  assert.equal(formatCountWithNoun(16_204, 'try', 'tries'), '16,204 tries');
});

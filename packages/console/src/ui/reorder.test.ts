import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNearestRowIndex, moveItem } from './reorder.ts';

test('an entry takes its new place and the others keep their order', () => {
  const items = ['a', 'b', 'c', 'd'];
  assert.deepEqual(moveItem(items, 0, 2), ['b', 'c', 'a', 'd']);
  assert.deepEqual(moveItem(items, 3, 0), ['d', 'a', 'b', 'c']);
  for (let from = 0; from < items.length; from += 1)
    for (let to = 0; to < items.length; to += 1) {
      const after = moveItem(items, from, to);
      assert.equal(after[to], items[from]);
      assert.deepEqual([...after].sort(), items);
      assert.deepEqual(moveItem(after, to, from), items);
    }
});

test('a place outside of the list is its end', () => {
  assert.deepEqual(moveItem(['a', 'b'], 0, 9), ['b', 'a']);
  assert.deepEqual(moveItem(['a', 'b'], 1, -3), ['b', 'a']);
  assert.deepEqual(moveItem(['a', 'b'], 7, 0), ['a', 'b']);
});

test('a pointer is nearest to the row whose middle is', () => {
  assert.equal(findNearestRowIndex([20, 60, 100], -50), 0);
  assert.equal(findNearestRowIndex([20, 60, 100], 65), 1);
  assert.equal(findNearestRowIndex([20, 60, 100], 900), 2);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function queueOf(items: Readonly<Record<string, number>>) {
  const queue = new FairQueue<string>();
  for (const [org, count] of Object.entries(items))
    for (let n = 0; n < count; n++) queue.push(org, `${org}${n}`);
  return queue;
}

test('organizations get equal shares of a batch, and each organization keeps its order', () => {
  const queue = queueOf({ a: 100, b: 2, c: 5 });
  assert.deepEqual(queue.take(9), ['a0', 'a1', 'a2', 'b0', 'b1', 'c0', 'c1', 'c2', 'a3'].toSorted());
  assert.deepEqual(
    [queue.length, queue.lengthOf('a'), queue.lengthOf('b'), queue.lengthOf('c')],
    [98, 96, 0, 2],
  );
  assert.deepEqual(queue.take(200).length, 98);
  assert.deepEqual([queue.length, queue.findLargestOrg()], [0, undefined]);
});

test('organizations that were not part of a batch come first in the next one', () => {
  const queue = queueOf({ a: 3, b: 3, c: 3 });
  assert.deepEqual(queue.take(2), ['a0', 'b0']);
  assert.deepEqual(queue.take(2), ['c0', 'a1']);
});

test('items are put back, taken back and removed without changing the order of the others', () => {
  const queue = queueOf({ a: 3, b: 1 });
  queue.unshift('a', ['first', 'second']);
  assert.equal(queue.findLargestOrg(), 'a');
  assert.equal(queue.pop('a'), 'a2');
  assert.deepEqual(
    queue.remove((item) => item === 'a0' || item === 'b0'),
    ['a0', 'b0'],
  );
  assert.deepEqual([[...queue], queue.length], [['first', 'second', 'a1'], 3]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchIn, NO_TAIL, taken } from './live-rows.ts';

const row = (n: number) => ({ id: `exc_${n}`, created_at: new Date(n * 1000).toISOString() });
const batch = (count: number, ...ids: number[]) => {
  const read = batchIn({ count, sampled: count > ids.length, data: ids.map(row) });
  assert.ok(read);
  return read;
};
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

test('rows that come while one reads wait and are counted, and come on top afterwards', () => {
  const busy = taken(taken(NO_TAIL, batch(1, 5), new Set(), false), batch(2, 7, 6), new Set(), true);
  assert.deepEqual([ids(busy.rows), ids(busy.held), busy.hasGap], [['exc_5'], ['exc_7', 'exc_6'], false]);
  const free = taken(busy, batch(1, 8), new Set(), false);
  assert.deepEqual([ids(free.rows), free.held.length], [['exc_8', 'exc_7', 'exc_6', 'exc_5'], 0]);
});

test('what is counted and not told is part of the count, and of the reason to read anew', () => {
  const flood = taken(taken(NO_TAIL, batch(250, 3, 2), new Set(), true), batch(250, 5, 4), new Set(), true);
  assert.equal(flood.held.length + flood.untold, 500);
  assert.equal(flood.hasGap, true);
  for (const isBusy of [true, false])
    assert.equal(taken(NO_TAIL, { rows: [], untold: null }, new Set(), isBusy).hasGap, true);
});

test('an event that is told twice changes nothing', () => {
  const once = taken(NO_TAIL, batch(1, 5), new Set(), false);
  assert.deepEqual(ids(taken(once, batch(1, 5), new Set(), false).rows), ['exc_5']);
  assert.equal(taken(NO_TAIL, batch(1, 5), new Set(['exc_5']), false), NO_TAIL);
  assert.equal(batchIn(null), null);
});

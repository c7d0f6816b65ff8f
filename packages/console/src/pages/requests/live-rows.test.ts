import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLiveBatch, NO_LIVE_ROWS, parseLiveBatch } from './live-rows.ts';

const row = (n: number) => ({ id: `exc_${n}`, created_at: new Date(n * 1000).toISOString() });
const batch = (count: number, ...ids: number[]) => {
  const read = parseLiveBatch({ count, sampled: count > ids.length, data: ids.map(row) });
  assert.ok(read);
  return read;
};
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

test('rows that come while one reads wait and are counted, and come on top afterwards', () => {
  const busy = addLiveBatch(
    addLiveBatch(NO_LIVE_ROWS, batch(1, 5), new Set(), false),
    batch(2, 7, 6),
    new Set(),
    true,
  );
  assert.deepEqual([ids(busy.rows), ids(busy.pending), busy.hasGap], [['exc_5'], ['exc_7', 'exc_6'], false]);
  const free = addLiveBatch(busy, batch(1, 8), new Set(), false);
  assert.deepEqual([ids(free.rows), free.pending.length], [['exc_8', 'exc_7', 'exc_6', 'exc_5'], 0]);
});

test('what is counted and not told is part of the count, and of the reason to read anew', () => {
  const flood = addLiveBatch(
    addLiveBatch(NO_LIVE_ROWS, batch(250, 3, 2), new Set(), true),
    batch(250, 5, 4),
    new Set(),
    true,
  );
  assert.equal(flood.pending.length + flood.omitted, 500);
  assert.equal(flood.hasGap, true);
  for (const isBusy of [true, false])
    assert.equal(addLiveBatch(NO_LIVE_ROWS, { rows: [], omitted: null }, new Set(), isBusy).hasGap, true);
});

test('an event that is told twice changes nothing', () => {
  const once = addLiveBatch(NO_LIVE_ROWS, batch(1, 5), new Set(), false);
  assert.deepEqual(ids(addLiveBatch(once, batch(1, 5), new Set(), false).rows), ['exc_5']);
  assert.equal(addLiveBatch(NO_LIVE_ROWS, batch(1, 5), new Set(['exc_5']), false), NO_LIVE_ROWS);
  assert.equal(parseLiveBatch(null), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadScrollPosition, storeScrollPosition } from './scroll-position.ts';

function storage(text: string | null = null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
  };
}

test('a place is kept for each entry of the history, the last fifty of them', () => {
  const kept = storage();
  for (let n = 0; n < 60; n += 1)
    storeScrollPosition(kept, `e${n}`, { row: `exc_${n}`, offset: 3.5, index: n });
  assert.deepEqual(loadScrollPosition(kept, 'e59'), { row: 'exc_59', offset: 3.5, index: 59 });
  assert.equal(loadScrollPosition(kept, 'e9'), null);
  storeScrollPosition(kept, 'e59', null);
  assert.equal(loadScrollPosition(kept, 'e59'), null);
});

test('what is no place is no place', () => {
  for (const broken of ['', '{', '{}', '[["e",null]]', '[["e",{"row":1,"offset":0,"index":0}]]'])
    assert.equal(loadScrollPosition(storage(broken), 'e'), null, broken);
});

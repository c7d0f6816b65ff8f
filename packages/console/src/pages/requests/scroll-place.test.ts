import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepPlace, keptPlace } from './scroll-place.ts';

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
  for (let n = 0; n < 60; n += 1) keepPlace(kept, `e${n}`, { row: `exc_${n}`, offset: 3.5, index: n });
  assert.deepEqual(keptPlace(kept, 'e59'), { row: 'exc_59', offset: 3.5, index: 59 });
  assert.equal(keptPlace(kept, 'e9'), null);
  keepPlace(kept, 'e59', null);
  assert.equal(keptPlace(kept, 'e59'), null);
});

test('what is no place is no place', () => {
  for (const broken of ['', '{', '{}', '[["e",null]]', '[["e",{"row":1,"offset":0,"index":0}]]'])
    assert.equal(keptPlace(storage(broken), 'e'), null, broken);
});

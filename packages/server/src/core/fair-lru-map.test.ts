import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairLruMap } from './fair-lru-map.ts';

test('a full map removes the least recently used entries of the organization that has the most', () => {
  const map = new FairLruMap<number>(1_000);
  for (let n = 0; n < 10; n += 1) map.set('small', `s${n}`, n);
  for (let n = 0; n < 990; n += 1) map.set('large', `l${n}`, n);
  assert.equal(map.get('large', 'l0'), 0);
  map.set('small', 'one more', 1);
  assert.equal(map.get('large', 'l0'), 0, 'it was used');
  assert.equal(map.get('large', 'l1'), undefined);
  for (let n = 0; n < 5_000; n += 1) map.set('large', `new${n}`, n);
  assert.ok(map.size <= 1_000 && map.size > 980, `${map.size}`);
  for (let n = 0; n < 10; n += 1) assert.equal(map.get('small', `s${n}`), n);
  assert.equal(map.get('large', 'new4999'), 4_999);
});

test('a full map removes many entries at once, also if each organization has few', () => {
  for (const perOrg of [1, 2]) {
    const map = new FairLruMap<number>(1_000);
    for (let n = 0; n < 1_000; n += 1) map.set(`org ${n % (1_000 / perOrg)}`, `k${n}`, n);
    map.set('new', 'k', 1);
    assert.equal(map.size, 991);
    assert.equal(map.get('new', 'k'), 1);
  }
});

test('an entry is replaced and removed in its organization only', () => {
  const map = new FairLruMap<string>(2);
  map.set('one', 'k', 'a');
  map.set('other', 'k', 'b');
  map.set('one', 'k', 'c');
  assert.deepEqual([map.size, [...map.values()].sort()], [2, ['b', 'c']]);
  map.delete('one', 'k');
  map.delete('one', 'k');
  assert.deepEqual([map.size, map.get('one', 'k'), map.get('other', 'k')], [1, undefined, 'b']);
  map.set('other', 'l', 'd');
  map.set('other', 'm', 'e');
  assert.deepEqual([...map.values()], ['d', 'e']);
});

test('entries have different sizes, and the new entry remains', () => {
  const map = new FairLruMap<number>(100, (size) => size);
  map.set('small', 'a', 10);
  for (const key of ['a', 'b', 'c']) map.set('large', key, 30);
  assert.equal(map.size, 100);
  map.set('other', 'a', 35);
  assert.deepEqual([map.sizeOf('small'), map.sizeOf('large'), map.sizeOf('other')], [10, 30, 35]);
  assert.deepEqual([...map.entriesOf('large').keys()], ['c']);
  map.set('other', 'b', 200);
  assert.deepEqual([...map.values()], [200]);
  map.set('small', 'a', 10);
  assert.deepEqual([[...map.values()], map.size], [[10], 10]);
  map.clear();
  assert.deepEqual([map.size, map.listOrgIds()], [0, []]);
});

test('a small organization loses at most the size of the new entry and one of its own entries', () => {
  const map = new FairLruMap<number>(1_000, (size) => size);
  for (const org of ['one', 'other']) for (let n = 0; n < 20; n += 1) map.set(org, `${n}`, 25);
  map.set('new', 'large', 310);
  assert.ok(map.sizeOf('one') + map.sizeOf('other') >= 1_000 - 310 - 25, `${map.sizeOf('one')}`);
  assert.ok(map.size <= 1_000);
});

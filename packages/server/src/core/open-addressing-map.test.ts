import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OpenAddressingMap } from './open-addressing-map.ts';

/** Few keys, many of them alike at their end, so that their places collide. */
const KEYS = Array.from({ length: 40 }, (_, n) => (n % 2 ? `exc_${n}same-end` : `exc_${n}`));

test('the map has the same entries as a Map after any insertions and deletions', () => {
  const step = fc.record({ key: fc.constantFrom(...KEYS), value: fc.option(fc.nat(9), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const [map, model] = [new OpenAddressingMap<number>(), new Map<string, number>()];
      for (const { key, value } of steps) {
        if (value === undefined) assert.equal(map.delete(key), model.delete(key));
        else {
          map.set(key, value);
          model.set(key, value);
        }
        assert.equal(map.size, model.size);
      }
      for (const key of KEYS) assert.equal(map.get(key), model.get(key));
      const seen = new Map<string, number>();
      map.visit((value, key) => seen.set(key, value));
      assert.deepEqual([...seen].sort(), [...model].sort());
    }),
  );
});

test('thousands of request ids can be added and removed', () => {
  const map = new OpenAddressingMap<number>();
  for (let n = 0; n < 20_000; n++) {
    map.set(`exc_${n}`, n);
    if (n >= 64) assert.equal(map.delete(`exc_${n - 64}`), true);
  }
  assert.equal(map.size, 64);
  for (let n = 20_000 - 64; n < 20_000; n++) assert.equal(map.get(`exc_${n}`), n);
});

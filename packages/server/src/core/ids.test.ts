import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId, deriveId } from './ids.ts';

test('newer ids sort after older ids, and no id repeats', () => {
  const ids = Array.from({ length: 1000 }, (_, i) => createId('key', 1_700_000_000_000 + i));
  assert.deepEqual([...ids].sort(), ids);
  const same = new Set(Array.from({ length: 1000 }, () => createId('key', 1_700_000_000_000)));
  assert.equal(same.size, 1000);
});

test('the id of a text is always the same, has the usual format and differs from the ids of other texts', () => {
  assert.equal(deriveId('key', 'acme\n1'), deriveId('key', 'acme\n1'));
  assert.notEqual(deriveId('key', 'acme\n1'), deriveId('key', 'acme\n2'));
  assert.match(deriveId('key', ''), /^key_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(createId('key', 0), /^key_[0-9a-hjkmnp-tv-z]{26}$/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findKeyIdByName } from './limit-subject.ts';

test('a key name resolves to the active key, not to an earlier key with the same name', () => {
  const keys = [
    { id: 'key_old', name: 'ci', status: 'revoked' },
    { id: 'key_now', name: 'ci', status: 'active' },
    { id: 'key_gone', name: 'cd', status: 'expired' },
  ] as const;
  assert.deepEqual(
    ['ci', 'cd', 'none', null].map((name) => findKeyIdByName(keys, name)),
    ['key_now', 'key_gone', undefined, undefined],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyNamed } from './subject.ts';

test('a rule about a name means the key that works, not one before it', () => {
  const keys = [
    { id: 'key_old', name: 'ci', status: 'revoked' },
    { id: 'key_now', name: 'ci', status: 'active' },
    { id: 'key_gone', name: 'cd', status: 'expired' },
  ] as const;
  assert.deepEqual(
    ['ci', 'cd', 'none', null].map((name) => keyNamed(keys, name)),
    ['key_now', 'key_gone', undefined, undefined],
  );
});

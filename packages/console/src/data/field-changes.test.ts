import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFieldChanges } from './field-changes.ts';

test('only fields that differ are told, nested ones by their path', () => {
  const before = { name: 'ci', models: ['a', 'b'], bodies: { keep: false, redact: true }, updated_at: '1' };
  const after = { name: 'ci', models: ['a'], bodies: { keep: true, redact: true }, updated_at: '2' };
  assert.deepEqual(findFieldChanges(before, after), [
    { field: 'models', before: 'a, b', after: 'a' },
    { field: 'bodies.keep', before: 'false', after: 'true' },
  ]);
});

test('what was created has no before, and null is nothing', () => {
  assert.deepEqual(findFieldChanges(null, { name: 'ci', team: null }), [
    { field: 'name', before: '', after: 'ci' },
  ]);
  assert.deepEqual(findFieldChanges({ team: 'a' }, { team: null }), [
    { field: 'team', before: 'a', after: '' },
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldChanges } from './field-changes.ts';

test('only fields that differ are told, whatever they hold', () => {
  const before = { model: 'smart', retries: 2, targets: [{ model: 'a/b' }], message: null };
  assert.deepEqual(fieldChanges(before, structuredClone(before)), []);
  assert.deepEqual(fieldChanges(before, { ...before, retries: 3, message: 'No.', targets: [] }), [
    { name: 'retries', before: '2', after: '3' },
    { name: 'targets', before: '[{"model":"a/b"}]', after: '[]' },
    { name: 'message', before: 'nothing', after: 'No.' },
  ]);
});

test('nothing at all and an empty text are the same to people', () => {
  assert.deepEqual(fieldChanges({ team: null }, { team: '' }), []);
  assert.deepEqual(fieldChanges({}, { team: undefined }), []);
});

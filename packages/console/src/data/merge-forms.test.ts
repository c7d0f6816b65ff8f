import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeForms } from './merge-forms.ts';

const BASE = { model: 'smart', retries: '2', targets: [{ model: 'a/b' }] };

test('what only they changed stays, and what was changed here wins', () => {
  const mine = { ...BASE, retries: '5' };
  const theirs = { ...BASE, retries: '3', targets: [{ model: 'c/d' }] };
  assert.deepEqual(mergeForms(BASE, mine, theirs), { ...theirs, retries: '5' });
});

test('a field that reads the same was not changed', () => {
  const theirs = { ...BASE, targets: [{ model: 'c/d' }] };
  assert.deepEqual(mergeForms(BASE, structuredClone(BASE), theirs), theirs);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListInput } from './list-input.ts';

test('a list is typed with commas or line by line, however untidily', () => {
  assert.deepEqual(parseListInput(' db, critical ,,\n\n ops'), ['db', 'critical', 'ops']);
  assert.deepEqual(parseListInput(' \n'), []);
});

test('an entry that contains a comma stays whole beside entries that were added', () => {
  const stored = ['Acme, Inc.', 'db'];
  for (const text of ['Acme, Inc., db, new', ' new,Acme, Inc. ,, db', 'db, Acme, Inc.\nnew'])
    assert.deepEqual(parseListInput(text, stored).sort(), ['Acme, Inc.', 'db', 'new'], text);
  assert.deepEqual(parseListInput('Acme, Inc', stored), ['Acme', 'Inc']);
  assert.deepEqual(parseListInput('', stored), []);
  // An input field removes line breaks.
  assert.deepEqual(parseListInput('ab, new', ['a\nb']), ['a\nb', 'new']);
  assert.deepEqual(parseListInput('a\nb, c', ['a\nb', ' c']), ['a\nb', ' c']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCountWithNoun, joinWithAnd, joinWithOr, parseListInput } from './words.ts';

test('lists of words end as people end them', () => {
  assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinWithAnd), [
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
  assert.deepEqual([['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinWithOr), ['a', 'a or b', 'a, b or c']);
});

test('one thing is said otherwise than none or many', () => {
  assert.equal(formatCountWithNoun(0, 'request'), '0 requests');
  assert.equal(formatCountWithNoun(1, 'request'), '1 request');
  assert.equal(formatCountWithNoun(16_204, 'try', 'tries'), '16,204 tries');
});

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

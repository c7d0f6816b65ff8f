import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opposite, textOf, valuesOf, without, wordsOf } from './filter-value.ts';

test('a filter is read out as people say it', () => {
  const said = (text: string) => Object.values(wordsOf(text)).join(' ');
  assert.deepEqual(['ci', '!ci', 'a,b', '!a,!b', '>=2000', '<5', '*', '!*', '!"a,b"'].map(said), [
    'is ci',
    'is not ci',
    'is any of a, b',
    'is none of a, b',
    '≥ 2000',
    '< 5',
    'is there',
    'is not there',
    'is not a,b',
  ]);
});

test('several values are one parameter each, and a comma within one survives', () => {
  assert.deepEqual(valuesOf('!ci,!"a,b", c'), ['!ci', '!a,b', 'c']);
  for (const values of [['a'], ['!a', '!b'], ['a,b', '!c,d'], ['100..200']])
    assert.deepEqual(valuesOf(textOf(values)), values);
});

test('turned round twice, a filter is what it was', () => {
  for (const text of ['ci', '!ci', 'a,b', '!a,!b', '>=5', '<=5', '>5', '<5', '*', '!*', '5xx', '!"a,b"'])
    assert.equal(opposite(opposite(text) ?? ''), text);
  assert.equal(opposite('a,!b'), null);
});

test('leaving one more out keeps what was left out, and takes it from what was chosen', () => {
  assert.equal(without(null, 'ci'), '!ci');
  assert.equal(without('!ci', 'web'), '!ci,!web');
  assert.equal(without('!ci', 'ci'), '!ci');
  assert.equal(without('ci,web', 'ci'), 'web');
  assert.equal(without('ci', 'ci'), '!ci');
  assert.equal(without('ci', 'web'), '!web');
});

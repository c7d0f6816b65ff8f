import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  describeFilterValue,
  excludeFilterValue,
  formatFilterValue,
  negateFilterValue,
  parseFilterValues,
  toExactFilterValue,
} from './filter-value.ts';

test('a filter is read out as people say it', () => {
  const said = (text: string) => Object.values(describeFilterValue(text)).join(' ');
  assert.deepEqual(['ci', '!ci', 'a,b', '!a,!b', '>=2000', '<5', '*', '!*', '!"a,b"'].map(said), [
    'is ci',
    'is not ci',
    'is any of a, b',
    'is none of a, b',
    '≥ 2000',
    '< 5',
    'is set',
    'is not set',
    'is not a,b',
  ]);
});

test('several values are one parameter each, and a comma within one survives', () => {
  assert.deepEqual(parseFilterValues('!ci,!"a,b", c'), ['!ci', '!a,b', 'c']);
  for (const values of [['a'], ['!a', '!b'], ['a,b', '!c,d'], ['100..200'], ['say "hi"'], [' a ']])
    assert.deepEqual(parseFilterValues(formatFilterValue(values)), values);
});

test('an exact filter matches a value with commas, operators or spaces as it is', () => {
  for (const [value, sent] of [
    ['north, south', 'north, south'],
    ['!x', '=!x'],
    ['*', '=*'],
    ['!a,b', '=!a,b'],
    ['ci', 'ci'],
    ['a "b", c', 'a "b", c'],
    ['"x', '"x'],
    ['""', '""'],
    ['"a", "b"', '"a", "b"'],
  ] as const)
    assert.deepEqual(parseFilterValues(toExactFilterValue(value)), [sent]);
});

test('values are split again exactly as they were joined', () => {
  const value = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[!=*"a, \n]{1,6}$/));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
      assert.deepEqual(parseFilterValues(formatFilterValue(values)), values);
    }),
  );
});

test('turned round twice, a filter is what it was', () => {
  for (const text of ['ci', '!ci', 'a,b', '!a,!b', '>=5', '<=5', '>5', '<5', '*', '!*', '5xx', '!"a,b"'])
    assert.equal(negateFilterValue(negateFilterValue(text) ?? ''), text);
  assert.equal(negateFilterValue('a,!b'), null);
});

test('leaving one more out keeps what was left out, and takes it from what was chosen', () => {
  assert.equal(excludeFilterValue(null, 'ci'), '!ci');
  assert.equal(excludeFilterValue('!ci', 'web'), '!ci,!web');
  assert.equal(excludeFilterValue('!ci', 'ci'), '!ci');
  assert.equal(excludeFilterValue('ci,web', 'ci'), 'web');
  assert.equal(excludeFilterValue('ci', 'ci'), '!ci');
  assert.equal(excludeFilterValue('ci', 'web'), '!web');
});

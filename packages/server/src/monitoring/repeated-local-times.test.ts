import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getRepeatedLocalTimePredicate } from './repeated-local-times.ts';

test('the check of a time zone is shared, and discarded after checks of many other spellings', () => {
  const check = getRepeatedLocalTimePredicate('Europe/Berlin');
  assert.equal(getRepeatedLocalTimePredicate('Europe/Berlin'), check);
  const name = 'america/new_york';
  for (let bits = 0; bits < 101; bits++) {
    const letters = [...name].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter));
    getRepeatedLocalTimePredicate(letters.join(''));
  }
  const other = getRepeatedLocalTimePredicate('Europe/Berlin');
  assert.notEqual(other, check);
  for (const [time, expected] of [
    ['2026-10-25T00:30:00Z', false],
    ['2026-10-25T01:30:00Z', true],
    ['2026-10-25T02:30:00Z', false],
  ] as const)
    assert.equal(other(Date.parse(time)), expected, time);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getLocalTimeSpan } from './local-time-spans.ts';

test('a span ends where clocks change, and states the local time that clocks had reached before it', () => {
  const jumpMs = Date.parse('2027-03-28T01:00:00Z');
  const before = getLocalTimeSpan('Europe/Berlin', jumpMs - 1);
  const after = getLocalTimeSpan('Europe/Berlin', jumpMs);
  assert.equal(before.endsAt, jumpMs);
  assert.deepEqual(
    [after.startsAt, after.offsetMs, after.reachedMs],
    [jumpMs, 7_200_000, Date.parse('2027-03-28T02:00:00Z')],
  );
  const backMs = Date.parse('2027-10-31T01:00:00Z');
  const repeated = getLocalTimeSpan('Europe/Berlin', backMs);
  assert.deepEqual(
    [repeated.startsAt, repeated.offsetMs, repeated.reachedMs],
    [backMs, 3_600_000, Date.parse('2027-10-31T03:00:00Z')],
  );
});

test('the spans of a time zone are shared, and discarded after spans of many other spellings', () => {
  const atMs = Date.parse('2027-03-28T01:00:00Z');
  const span = getLocalTimeSpan('Europe/Berlin', atMs);
  assert.equal(getLocalTimeSpan('Europe/Berlin', atMs), span);
  const name = 'america/new_york';
  for (let bits = 0; bits < 512; bits++) {
    const letters = [...name].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter));
    getLocalTimeSpan(letters.join(''), atMs);
  }
  const other = getLocalTimeSpan('Europe/Berlin', atMs);
  assert.notEqual(other, span);
  assert.deepEqual(other, span);
});

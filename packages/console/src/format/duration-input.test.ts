import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDurationInput, toDurationMs } from './duration-input.ts';

test('lengths are read as people write them', () => {
  const table = [
    ['45s', 45_000],
    ['90 min', 5_400_000],
    ['1.5 h', 5_400_000],
    ['1,5 hours', 5_400_000],
    ['3 days', 259_200_000],
    ['2W', 1_209_600_000],
  ] as const;
  for (const [text, ms] of table) {
    const length = parseDurationInput(text);
    assert.ok(length, text);
    assert.equal(toDurationMs(length), ms, text);
  }
});

test('what only begins like a unit is none', () => {
  for (const text of ['3 months', '1 mo', '5 parsecs', '2 hectares', '-1h', 'soon', ''])
    assert.equal(parseDurationInput(text), null, text);
});

test('a number alone is a length only where it is said of what', () => {
  assert.equal(parseDurationInput('90'), null);
  assert.deepEqual(parseDurationInput('90', 'm'), { amount: 90, unit: 'm' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMinutes, parseMinutes } from './minutes.ts';

test('durations are parsed from the usual notations, and formatted so that they parse back', () => {
  for (const [text, minutes] of [
    ['90m', 90],
    ['1.5 h', 90],
    ['1,5h', 90],
    ['1d', 1440],
    ['2 weeks', 20_160],
    ['30 s', 0.5],
    ['15', 15],
  ] as const)
    assert.equal(parseMinutes(text), minutes, text);
  for (const text of ['', 'soon', '-5', '5 parsecs', '1h30']) assert.equal(parseMinutes(text), null, text);
  for (const minutes of [0.5, 1, 5, 59, 60, 90, 120, 1440, 2880, 4320])
    assert.equal(parseMinutes(formatMinutes(minutes)), minutes, formatMinutes(minutes));
});
